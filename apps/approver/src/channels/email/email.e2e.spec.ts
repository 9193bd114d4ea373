/** E-mail over real SMTP: the contract of every channel, and what is its own: links that show but do not answer. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
        kind: one.inReplyTo !== null ? 'end' : one.subject.startsWith('Still waiting') ? 'reminder' : 'card',
        target: one.to,
        text: one.text,
        approvable: one.text.includes('Answer here:'),
      })),
    failNext: (how) => mail.failNext(how === 'once' ? 451 : 550),
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
