/** E-mail over real SMTP: the contract of every channel, and what is its own: links that show but do not answer. */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startMailServer, type MailServer, type ReceivedMail } from '@countersign/testing';
import { openApprovers, type Approvers } from '../../testing/approvers.js';
import { keepsTheContract, type ChannelStage } from '../../testing/channel-contract.js';
import { eventually, send } from '../../testing/doors.js';

const ANN = 'ann@example.com';
const OPS = 'ops@example.com';
const CONSOLE = 'https://countersign.example';

const settingsFor = (mail: MailServer) => {
  const email = [
    { tenantId: 'acme', host: '127.0.0.1', port: mail.port, tls: 'none' as const, from: 'cs@example.com', to: [ANN] },
  ];
  return { channels: { email }, consoleUrl: CONSOLE };
};

/** Path and token of the link in a mail. */
function linkOf({ text }: ReceivedMail): { path: string; token: string } {
  const [link = ''] = text.match(/https:\/\/countersign\.example\S+/) ?? [];
  const { pathname, search, searchParams } = new URL(link);
  return { path: `${pathname}${search}`, token: searchParams.get('t') ?? '' };
}

async function cookieOf(house: Approvers, key: string): Promise<string> {
  const { headers } = await send(`${house.urls[0]}/sign-in`, null, { body: { key } });
  return headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

interface Submitted {
  readonly status: number;
  readonly notice: string;
  readonly page: string;
}

/** Sends the form of a link, as a browser with that cookie does. */
async function submit(
  house: Approvers,
  token: string,
  fields: Record<string, string>,
  headers: Record<string, string>,
): Promise<Submitted> {
  const url = house.urls[1] ?? '';
  const response = await fetch(`${url}/channels/email/answer`, {
    method: 'POST',
    headers: { origin: url, ...headers },
    body: new URLSearchParams({ t: token, ...fields }),
  });
  const page = await response.text();
  return { status: response.status, page, notice: /<p role="status">([^<]*)</.exec(page)?.[1] ?? '' };
}

async function openStage(): Promise<ChannelStage> {
  const mail = await startMailServer();
  let ann = '';
  let stranger = '';
  const mailsOf = (askId: string) => mail.mails.filter(({ text }) => text.includes(askId));
  const kindOf = ({ inReplyTo, subject, text }: ReceivedMail, first: ReceivedMail | undefined) => {
    if (inReplyTo === null) return subject.startsWith('Still waiting') ? 'reminder' : 'card';
    return inReplyTo === first?.messageId && text.includes('too late, it changed nothing') ? 'late' : 'end';
  };
  const answer = async (house: Approvers, askId: string, given: string, cookie: string) => {
    const first = await eventually(async () => mailsOf(askId)[0]);
    return (await submit(house, linkOf(first).token, { answer: given }, { cookie })).notice;
  };
  return {
    name: 'email',
    settings: settingsFor(mail),
    otherTarget: OPS,
    shown: (askId) =>
      mailsOf(askId).map((one) => ({
        kind: kindOf(one, mailsOf(askId)[0]),
        target: one.to,
        text: one.text,
        approvable: one.text.includes('Answer here:'),
      })),
    failNext: (how, kind) => mail[kind === 'late' ? 'failNextReply' : 'failNext'](how === 'once' ? 451 : 550),
    hold: () => mail.hold(),
    link: async (house, { personId, key }) => {
      await house.ledger.people.link({ tenantId: 'acme', personId, provider: 'email', externalId: ANN, by: 'test' });
      ann = await cookieOf(house, key);
      stranger = await cookieOf(house, (await house.person('Mallory')).key);
    },
    answer: (house, askId, given) => answer(house, askId, given, ann),
    answerAsStranger: (house, askId) => answer(house, askId, 'approve', stranger),
    close: () => mail.close(),
  };
}

keepsTheContract('email', openStage);

jest.setTimeout(60_000);

describe('a link in a mail', () => {
  let mail: MailServer;
  let house: Approvers;
  let ann: { key: string; personId: string };
  beforeAll(async () => {
    mail = await startMailServer({ user: 'cs', password: 'secret' });
    const settings = settingsFor(mail);
    const email = settings.channels.email.map((one) => ({ ...one, user: 'cs', password: 'secret' }));
    house = await openApprovers(2, { kind: 'memory' }, { ...settings, channels: { email } });
    ann = await house.person('Ann');
    const identity = { provider: 'email', externalId: ANN };
    await house.ledger.people.link({ tenantId: 'acme', personId: ann.personId, ...identity, by: 'test' });
  });
  afterAll(async () => {
    await house.close();
    await mail.close();
  });

  const mailed = async (seed = {}) => {
    const { askId, sessionId } = await house.askAloud(seed);
    const found = await eventually(async () => mail.mails.find(({ text }) => text.includes(askId)), 40_000);
    return { askId, sessionId, found, ...linkOf(found) };
  };
  const askOf = (askId: string) => house.ledger.asks.get('acme', askId);

  it('is in a mail of plain text alone', async () => {
    const { found } = await mailed({ tool: 'Bash\r\nBcc: all@example.com' });
    expect(found.contentType).toMatch(/^text\/plain/);
    expect(found).toMatchObject({ to: ANN, from: 'cs@example.com' });
    expect(found.subject).toContain('Bash\\u{d}\\u{a}Bcc');
  });

  it('shows the ask to whoever opens it, and decides nothing', async () => {
    const { askId, path } = await mailed({ args: { command: '<script>alert(1)</script> \u202e' } });
    for (const method of ['GET', 'HEAD', 'GET']) {
      const response = await fetch(`${house.urls[0]}${path}`, {
        method,
        headers: { cookie: await cookieOf(house, ann.key) },
      });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      const page = await response.text();
      if (method === 'GET') expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt; \\u{202e}');
      expect(page).not.toContain('<script');
    }
    expect((await askOf(askId))?.status).toBe('open');
  });

  it('B25c answers nothing for somebody else, who is kept by name, and nothing for nobody', async () => {
    const { askId, sessionId, token } = await mailed();
    const mallory = await house.person('Mallory');
    const cookie = await cookieOf(house, mallory.key);
    expect(await submit(house, token, { answer: 'approve' }, { cookie })).toMatchObject({
      status: 403,
      notice: 'Your answer was not taken: this link was sent to somebody else.',
    });
    expect((await submit(house, token, { answer: 'approve' }, {})).status).toBe(401);
    const own = await cookieOf(house, ann.key);
    expect(
      (await submit(house, token, { answer: 'approve' }, { cookie: own, origin: 'https://evil.example' })).status,
    ).toBe(403);
    expect((await submit(house, `${token}x`, { answer: 'approve' }, { cookie: own })).status).toBe(404);
    expect((await submit(house, token, { answer: 'maybe' }, { cookie: own })).status).toBe(400);
    const { items } = await house.ledger.events.list('acme', { session: sessionId, type: 'AskAnswerRefused' });
    expect(items.map(({ body }) => body)).toMatchObject([
      { code: 'ask.not_approver', by: { channel: 'email', personId: mallory.personId, personName: 'Mallory' } },
    ]);
    expect((await askOf(askId))?.status).toBe('open');
    const done = await submit(house, token, { answer: 'approve', reason: 'go' }, { cookie: own });
    expect(done).toMatchObject({ status: 200, notice: expect.stringContaining('Approved by Ann via email') });
  });

  it('B25d answers nothing any more once the mailbox was taken from the person', async () => {
    const { askId, token } = await mailed();
    const cookie = await cookieOf(house, ann.key);
    const change = { tenantId: 'acme', personId: ann.personId, provider: 'email', externalId: ANN, by: 'test' };
    await house.ledger.people.unlink(change);
    expect((await submit(house, token, { answer: 'approve' }, { cookie })).status).toBe(403);
    await house.ledger.people.link(change);
    expect((await askOf(askId))?.status).toBe('open');
  });
});
