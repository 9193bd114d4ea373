/** A mail server for tests: takes mails over real SMTP, keeps them as text, and refuses when it is told to. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly messageId: string;
  readonly inReplyTo: string | null;
  readonly contentType: string;
}

export interface MailServer {
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** The next mails that begin a thread are refused with these SMTP codes, in order. */
  failNext(...codes: number[]): void;
  /** The same for the next mails that follow in a thread. */
  failNextReply(...codes: number[]): void;
  /** The next mail is taken only when the function that it gives is called. */
  hold(): () => void;
  close(): Promise<void>;
}

export interface MailServerOptions {
  /** Asked of whoever sends. */
  readonly user?: string;
  readonly password?: string;
}

/** Listens on 127.0.0.1, without TLS. */
export async function startMailServer({ user, password }: MailServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const codes: number[] = [];
  const replyCodes: number[] = [];
  let held: Promise<void> = Promise.resolve();
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: user === undefined,
    allowInsecureAuth: true,
    onAuth: (auth, _session, done) => {
      const known = auth.username === user && auth.password === password;
      done(known ? null : new Error('not known'), known ? { user: auth.username } : undefined);
    },
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const waits = held;
        held = Promise.resolve();
        void waits.then(() => {
          const mail = readMail(Buffer.concat(chunks).toString('utf8'));
          const code = (mail.inReplyTo === null ? codes : replyCodes).shift();
          if (code !== undefined) return done(Object.assign(new Error('refused'), { responseCode: code }));
          const to = envelope.rcptTo.map(({ address }) => address).join(',');
          mails.push({ ...mail, to });
          done();
        });
      });
    },
  });
  // Whoever sends may hang up in the middle.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    failNext: (...some) => void codes.push(...some),
    failNextReply: (...some) => void replyCodes.push(...some),
    hold: () => {
      let release = (): void => undefined;
      held = new Promise<void>((resolve) => (release = resolve));
      return () => release();
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

function readMail(raw: string): Omit<ReceivedMail, 'to'> {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const header = (name: string): string => decodeWords(headers.get(name) ?? '');
  return {
    from: header('from'),
    subject: header('subject'),
    messageId: header('message-id'),
    inReplyTo: headers.has('in-reply-to') ? header('in-reply-to') : null,
    contentType: header('content-type'),
    text: decodeBody(raw.slice(end + 4), header('content-transfer-encoding')).replaceAll('\r\n', '\n'),
  };
}

function decodeBody(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  return encoding === 'quoted-printable' ? decodeQuoted(body.replace(/=\r\n/g, '')) : body;
}

/** Encoded words of headers (RFC 2047). */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_all, kind: string, word: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString('utf8')
        : decodeQuoted(word.replaceAll('_', ' ')),
    );
}

function decodeQuoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
