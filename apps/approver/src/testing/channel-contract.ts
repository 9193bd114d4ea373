/** What every channel keeps to, tried on two approvers over one database: each channel's spec runs it with its own stage. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { escapeForDisplay, type AskView } from '@countersign/contracts';
import type { ApproverConfig } from '../config.js';
import { openApprovers, type Approvers } from './approvers.js';
import { eventually as within, send } from './doors.js';
import type { PushedChannel } from '../channels/channel.js';
import { HOSTILE_TEXTS } from './hostile-texts.js';

/**
 * A message as the other side has it: a card, a reminder, how the ask ended, or that somebody said the contrary too late. `late` is
 * only what stands in the thread of its card, where the other side has threads.
 */
export interface Shown {
  readonly kind: 'card' | 'reminder' | 'end' | 'late';
  readonly target: string;
  /** Everything that a reader sees. */
  readonly text: string;
  readonly approvable: boolean;
}

/** The other side of a channel, and the people there. */
export interface ChannelStage {
  readonly name: PushedChannel;
  readonly settings: Pick<ApproverConfig, 'channels' | 'consoleUrl'>;
  /** A target beside the usual one. */
  readonly otherTarget: string;
  /** Every message of an ask, in order. */
  shown(askId: string): readonly Shown[];
  /** The next card, or the next message of that kind, is refused: in a way that is worth another try, or for good. */
  failNext(how: 'once' | 'for good', kind?: 'late'): void;
  /** The next message is taken only when the function that it gives is called. */
  hold(): () => void;
  /** Links a person to whoever `answer` answers as. */
  link(house: Approvers, person: { readonly personId: string; readonly key: string }): Promise<void>;
  /** Answers as that person, over the channel; resolves to what they were told. */
  answer(house: Approvers, askId: string, answer: 'approve' | 'reject'): Promise<string>;
  /** The same as somebody whom nobody linked. */
  answerAsStranger(house: Approvers, askId: string): Promise<string>;
  close(): Promise<void>;
}

/** A loaded machine may take its time; the bound only ends a test that hangs. */
const eventually: typeof within = (check) => within(check, 40_000);
/** Cards of an ask that ended are closed within this long. */
const CLOSED_MS = 2_000;
/** Long enough for whatever would be sent wrongly to arrive. */
const QUIET_MS = 300;

export function keepsTheContract(name: PushedChannel, openStage: () => Promise<ChannelStage>): void {
  jest.setTimeout(60_000);
  let stage: ChannelStage;
  let house: Approvers;
  let bo: { key: string };
  beforeAll(async () => {
    stage = await openStage();
    house = await openApprovers(2, { kind: 'memory' }, stage.settings);
    const ann = await house.person('Ann');
    await stage.link(house, ann);
    bo = await house.person('Bo');
  }, 60_000);
  afterAll(async () => {
    await house.close();
    await stage.close();
  });

  const of = (askId: string, kind: Shown['kind']) => stage.shown(askId).filter((one) => one.kind === kind);
  const cardOf = (askId: string) => eventually(async () => of(askId, 'card').at(0) ?? of(askId, 'end').at(0));
  const endOf = (askId: string) => eventually(async () => of(askId, 'end').at(0));
  const askOf = async (askId: string): Promise<AskView> => {
    const ask = await house.ledger.asks.get('acme', askId);
    if (ask === null) throw new Error('the ask is gone');
    return ask;
  };
  const ended = (askId: string, status: AskView['status']) =>
    eventually(async () => (await askOf(askId)).status === status);
  const answerInPage = (askId: string, answer: string, at = 1) =>
    send(`${house.urls[at]}/v1/asks/${askId}/answer`, bo.key, { body: { answer } });
  const eventsOf = async (sessionId: string, type: string) =>
    (await house.ledger.events.list('acme', { session: sessionId, type })).items;
  const tell = (askId: string) => house.bus.opened({ tenantId: 'acme', askId });
  const lateOf = (askId: string) => eventually(async () => of(askId, 'late').at(0));
  /** Cat rejects an ask that ended, and whoever took that dies right after. */
  const contradict = async ({ askId, sessionId }: { askId: string; sessionId: string }) => {
    const by = { channel: 'web', personId: 'person_cat', personName: 'Cat' } as const;
    const command = { askId, by, answer: 'reject', scope: 'once', reason: null, grantId: 'grant_none' } as const;
    await house.ledger.execute({ tenantId: 'acme', sessionId }, { type: 'AnswerAsk', ...command });
  };
  /** An ask that Ann approved over the channel. */
  const approved = async () => {
    const made = await house.askAloud();
    await cardOf(made.askId);
    await stage.answer(house, made.askId, 'approve');
    await endOf(made.askId);
    return made;
  };

  describe(`${name}: a card`, () => {
    it('is sent once by two approvers that are told twice, and its hash is on record', async () => {
      const { askId, sessionId } = await house.askAloud();
      await Promise.all([tell(askId), tell(askId)]);
      await cardOf(askId);
      const notified = await eventually(async () => {
        const found = await eventsOf(sessionId, 'AskNotified');
        return found.length > 0 && found;
      });
      await tell(askId);
      await sleep(QUIET_MS);
      expect(of(askId, 'card')).toHaveLength(1);
      expect(notified).toHaveLength(1);
      expect(notified[0]).toMatchObject({ channel: name, body: { textHash: expect.stringMatching(/^[0-9a-f]{64}$/) } });
    });

    it('B24 says how the ask ended within two seconds, whichever approver took the answer elsewhere', async () => {
      for (const at of [0, 1]) {
        const { askId } = await house.askAloud();
        await cardOf(askId);
        await answerInPage(askId, at === 0 ? 'approve' : 'reject', at);
        const began = performance.now();
        expect((await endOf(askId)).text).toContain(at === 0 ? 'Approved by Bo via web' : 'Rejected by Bo via web');
        expect(performance.now() - began).toBeLessThan(CLOSED_MS);
      }
    });

    it('says that nobody answered, and that it was withdrawn', async () => {
      const late = await house.askAloud({ timeoutMs: 400 });
      const gone = await house.askAloud();
      await Promise.all([cardOf(late.askId), cardOf(gone.askId)]);
      await sleep(500);
      await house.ledger.execute(
        { tenantId: 'acme', sessionId: late.sessionId },
        { type: 'ExpireAsk', askId: late.askId },
      );
      await house.ledger.execute(
        { tenantId: 'acme', sessionId: gone.sessionId },
        { type: 'CancelSession', reason: 'no longer needed', by: 'test' },
      );
      // Nobody tells of it: the next look into the ledger finds both.
      expect((await endOf(late.askId)).text).toContain('expired');
      expect((await endOf(gone.askId)).text).toContain('withdrawn');
    });

    it('B20 is not shown for what was decided before', async () => {
      const { askId } = await house.ask();
      await answerInPage(askId, 'approve');
      await Promise.all([tell(askId), tell(askId)]);
      await sleep(QUIET_MS);
      expect(stage.shown(askId)).toEqual([]);
    });

    it('B20 is closed at once when the ask ends while its card is on the way', async () => {
      const release = stage.hold();
      const { askId } = await house.askAloud();
      await sleep(QUIET_MS);
      await answerInPage(askId, 'reject');
      release();
      expect((await endOf(askId)).text).toContain('Rejected by Bo via web');
    });

    it('goes to the target that the route names, and nowhere else', async () => {
      const there = await house.askAloud({ routes: [{ channels: [`${name}:${stage.otherTarget}`] }] });
      const nowhere = await house.askAloud({ routes: [{ channels: [] }] });
      expect((await cardOf(there.askId)).target).toBe(stage.otherTarget);
      await sleep(QUIET_MS);
      expect([of(there.askId, 'card').length, stage.shown(nowhere.askId).length]).toEqual([1, 0]);
    });

    it('comes again once, as a reminder, when the route says so', async () => {
      const { askId } = await house.askAloud({ routes: [{ remindAfter: 1 }] });
      await cardOf(askId);
      await eventually(async () => of(askId, 'reminder').at(0));
      await tell(askId);
      await sleep(QUIET_MS);
      expect([of(askId, 'card').length, of(askId, 'reminder').length]).toEqual([1, 1]);
      await answerInPage(askId, 'approve');
      await endOf(askId);
    });
  });

  describe(`${name}: what a card shows`, () => {
    it('B28 head and tail of a long command, and it cannot be approved there', async () => {
      const command = `${'echo 0123456789; '.repeat(9_000)}rm -rf build`;
      const { askId, sessionId } = await house.askAloud({ args: { command } });
      const card = await cardOf(askId);
      for (const part of ['echo 0123456789; echo', 'rm -rf build', 'characters are not shown']) {
        expect(card.text).toContain(part);
      }
      expect(card.approvable).toBe(false);
      expect(card.text).toContain((await askOf(askId)).argsHash);
      expect((await askOf(askId)).status).toBe('open');
      expect(await eventsOf(sessionId, 'NotifyFailed')).toEqual([]);
    });

    it('B29 every hidden, reordering and look-alike character as an escape, in text of the call and of the agent', async () => {
      const kinds = Object.entries(HOSTILE_TEXTS);
      const asks = await Promise.all(
        kinds.map(async ([kind, command]) => ({
          kind,
          ...(await house.askAloud({ args: { command }, says: command })),
        })),
      );
      for (const { kind, askId } of asks) {
        const { text } = await cardOf(askId);
        expect([kind, escapeForDisplay(text, { keepLines: true })]).toEqual([kind, text]);
        expect([kind, text.includes('the agent says')]).toEqual([kind, true]);
        expect([kind, /[\uff01-\uff5e\u043c\u0430]| {16}/.test(text)]).toEqual([kind, false]);
      }
    });

    it('cannot be approved where the route allows rejecting only', async () => {
      const { askId } = await house.askAloud({ routes: [{ rejectOnlyOn: [name] }] });
      expect((await cardOf(askId)).approvable).toBe(false);
      await stage.answer(house, askId, 'reject');
      await ended(askId, 'rejected');
    });
  });

  describe(`${name}: an answer`, () => {
    it('B19 is stored before it is confirmed, and whoever waits is told', async () => {
      const heard: string[] = [];
      const end = await house.bus.onDecided(({ askId }) => void heard.push(askId));
      const { askId } = await house.askAloud();
      await cardOf(askId);
      const told = await stage.answer(house, askId, 'approve');
      expect(told).toContain(`Approved by Ann via ${name}`);
      expect(await askOf(askId)).toMatchObject({ status: 'approved', resolvedBy: 'Ann', resolvedVia: name });
      await eventually(async () => heard.includes(askId));
      await end();
      expect((await endOf(askId)).text).toContain(`Approved by Ann via ${name}`);
    });

    it('B22 twice is one answer, and told the same', async () => {
      const { askId, sessionId } = await house.askAloud();
      await cardOf(askId);
      const first = await stage.answer(house, askId, 'reject');
      expect(await stage.answer(house, askId, 'reject')).toBe(first);
      expect(await eventsOf(sessionId, 'AskAnswered')).toHaveLength(1);
    });

    it('that comes too late is refused, kept, and told who was first', async () => {
      const { askId, sessionId } = await house.askAloud();
      await cardOf(askId);
      await answerInPage(askId, 'reject');
      const told = await stage.answer(house, askId, 'approve');
      expect(told).toContain('Rejected by Bo via web');
      expect((await askOf(askId)).status).toBe('rejected');
      expect(await eventsOf(sessionId, 'AskAnswerRefused')).toHaveLength(1);
    });

    it('B25 of somebody whom nobody linked is refused and kept under who they are', async () => {
      const { askId, sessionId } = await house.askAloud();
      await cardOf(askId);
      expect(await stage.answerAsStranger(house, askId)).toMatch(/not linked|somebody else/);
      const [refused] = await eventsOf(sessionId, 'AskAnswerRefused');
      expect(refused).toMatchObject({ channel: name, body: { code: 'ask.not_approver' } });
      expect((await askOf(askId)).status).toBe('open');
    });

    it('under a kill switch rejects but does not approve', async () => {
      const { askId } = await house.askAloud({ tool: 'Deploy' });
      await cardOf(askId);
      const kill = { killId: `kill_${askId}`, scope: 'tool', value: 'Deploy', reason: 'stop', by: 'test' } as const;
      await house.ledger.executeTenant('acme', { type: 'EngageKill', ...kill });
      await stage.answer(house, askId, 'approve');
      expect(await askOf(askId)).toMatchObject({ status: 'open', frozen: true });
      await stage.answer(house, askId, 'reject');
      await ended(askId, 'rejected');
      await house.ledger.executeTenant('acme', { type: 'ReleaseKill', killId: kill.killId, by: 'test' });
    });
  });

  describe(`${name}: an answer that somebody contradicts`, () => {
    it('B02 is told so once, beside its card: who said what, when, and what stands', async () => {
      const { askId } = await approved();
      expect((await answerInPage(askId, 'reject')).status).toBe(409);
      const { text, target } = await lateOf(askId);
      const at = String.raw`at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC`;
      expect(text).toMatch(new RegExp(`Bo answered reject via web ${at}: too late, it changed nothing\\. `));
      expect(text).toMatch(new RegExp(`It stands: Approved by Ann via ${name} ${at}\\.`));
      expect([target, (await askOf(askId)).status]).toEqual([of(askId, 'card')[0]?.target, 'approved']);
      await Promise.all([answerInPage(askId, 'cancel', 0), answerInPage(askId, 'reject')]);
      await house.bus.late({ tenantId: 'acme', askId });
      await sleep(QUIET_MS);
      expect(of(askId, 'late')).toHaveLength(1);
    });

    it('B02 is told nothing here when it came from elsewhere, or when the late one says the same', async () => {
      const alike = await approved();
      expect((await answerInPage(alike.askId, 'approve')).status).toBe(409);
      const elsewhere = await house.askAloud();
      await cardOf(elsewhere.askId);
      await answerInPage(elsewhere.askId, 'reject');
      await stage.answer(house, elsewhere.askId, 'approve');
      await sleep(QUIET_MS);
      for (const { askId } of [alike, elsewhere]) {
        expect(of(askId, 'late')).toEqual([]);
        expect(await house.ledger.deliveries.waiting(askId, 'late')).toEqual([]);
      }
    });
  });

  describe(`${name}: when something fails`, () => {
    it('tries again, also after a restart; and a restart sends nothing twice (C06, B08, B02)', async () => {
      const contradicted = await approved();
      const before = await house.askAloud();
      await cardOf(before.askId);
      stage.failNext('once');
      const failing = await house.askAloud();
      await eventually(async () => (await eventsOf(failing.sessionId, 'NotifyFailed')).length > 0);
      await house.stopApprovers();
      const meanwhile = await house.askAloud();
      await contradict(contradicted);
      await house.startApprovers();
      for (const { askId } of [failing, meanwhile]) await cardOf(askId);
      await lateOf(contradicted.askId);
      await sleep(QUIET_MS);
      expect(of(contradicted.askId, 'late')).toHaveLength(1);
      for (const { askId } of [before, failing, meanwhile]) expect(of(askId, 'card')).toHaveLength(1);
      await answerInPage(before.askId, 'approve', 0);
      expect((await endOf(before.askId)).text).toContain('Approved by Bo');
    });

    it('keeps the ask open when the card is refused for good, says why on record, and so of what came too late', async () => {
      const contradicted = await approved();
      stage.failNext('for good');
      const { askId, sessionId } = await house.askAloud();
      const [failed] = await eventually(async () => {
        const found = await eventsOf(sessionId, 'NotifyFailed');
        return found.length > 0 && found;
      });
      expect(failed).toMatchObject({ channel: name, body: { final: true } });
      expect((await askOf(askId)).status).toBe('open');
      stage.failNext('for good', 'late');
      await answerInPage(contradicted.askId, 'reject');
      const [untold] = await eventually(async () => {
        const found = await eventsOf(contradicted.sessionId, 'NotifyFailed');
        return found.length > 0 && found;
      });
      expect(untold).toMatchObject({ channel: name, body: { kind: 'late', final: true } });
      expect(await house.ledger.deliveries.waiting(contradicted.askId, 'late')).toEqual([]);
    });
  });
}
