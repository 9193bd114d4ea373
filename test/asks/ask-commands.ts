/** What may happen to the asks of one session, and what each of them must come to: told from the rules, not from the code. */
import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { AskView } from '@countersign/contracts';
import type { Told, Wish } from './answering.js';
import type { AskRun } from './ask-run.js';
import type { Person } from './ask-world.js';

/** How an ask stands. `overdue`: its time is over, and the sweep ends it or has ended it. `ended.by` null: nobody answered. */
export type Standing =
  | { readonly at: 'open' | 'overdue' }
  | {
      readonly at: 'ended';
      readonly status: AskView['status'];
      readonly by: string | null;
      readonly wish: Wish | null;
    };

interface ModelAsk {
  standing: Standing;
  /** Nobody waits for it any more. */
  parked: boolean;
  /** The call that opened it was let go, so the same call again joins it. */
  letGo: boolean;
  readonly command: string;
}

export interface AskModel {
  /** In the order of the run's calls that asked. */
  readonly asks: ModelAsk[];
  /** Exact calls that a `session` answer allows from now on. */
  readonly granted: Set<string>;
  /** One-time grants that approved parked asks left. */
  readonly once: Map<string, number>;
  started: boolean;
  killed: boolean;
  cancelled: boolean;
}

export const newAskModel = (): AskModel => ({
  asks: [],
  granted: new Set(),
  once: new Map(),
  started: false,
  killed: false,
  cancelled: false,
});

export type AskCommand = fc.AsyncCommand<AskModel, AskRun>;
type Command = AskCommand;

/** `check`: may it happen now? */
function command(
  name: string,
  run: (model: AskModel, real: AskRun) => Promise<void>,
  check: (model: AskModel) => boolean = () => true,
): Command {
  const noted = async (model: AskModel, real: AskRun): Promise<void> => {
    real.journal.push(name);
    await run(model, real);
  };
  return { check, run: noted, toString: () => name };
}

const RESULTS = { approve: 'approved', reject: 'rejected', cancel: 'cancelled' } as const;

/** A call that asks unless something holds the session or a grant allows it. */
export const call = (text: string): Command =>
  command(`call ${text}`, async (model, real) => {
    await settleOverdue(model, real, text);
    const expected = decide(model, text);
    const parked = model.asks.findIndex((ask) => ask.command === text && ask.letGo && ask.standing.at === 'open');
    const joins = expected.decision === 'pending' ? (real.calls[parked]?.askId ?? null) : null;
    const { decision, ruleId } = await real.call(text, joins);
    model.started = true;
    expect([text, decision, expected.rule === null ? null : ruleId]).toEqual([text, expected.decision, expected.rule]);
    if (expected.decision !== 'pending') return;
    const joined = joins === null ? undefined : model.asks[parked];
    if (joined) joined.parked = false;
    else model.asks.push({ standing: { at: 'open' }, parked: false, letGo: false, command: text });
  });

/** Whether a call may still join an ask whose time is over depends on the sweep, so that is waited for. */
async function settleOverdue(model: AskModel, real: AskRun, text: string): Promise<void> {
  if (model.killed) return;
  for (const [place, ask] of model.asks.entries()) {
    if (ask.command !== text || !ask.letGo || ask.standing.at !== 'overdue') continue;
    const { status } = await real.ended(real.calls[place]?.askId ?? '');
    ask.standing = { at: 'ended', status, by: null, wish: null };
  }
}

function decide(model: AskModel, text: string): { decision: string; rule: string | null } {
  if (model.killed) return { decision: 'deny', rule: model.cancelled ? null : 'guard.killed' };
  if (model.cancelled) return { decision: 'deny', rule: 'guard.cancelled' };
  if (model.granted.has(text)) return { decision: 'allow', rule: null };
  const once = model.once.get(text) ?? 0;
  if (once === 0) return { decision: 'pending', rule: null };
  model.once.set(text, once - 1);
  return { decision: 'allow', rule: null };
}

/** Which ask: any of those so far, the newest first. */
function pick(model: AskModel, real: AskRun, nth: number) {
  const place = model.asks.length - 1 - (nth % model.asks.length);
  const ask = model.asks[place];
  const waiting = real.calls[place];
  if (!ask || !waiting) throw new Error('the model and the run have different asks');
  return { ask, waiting };
}

const some = (model: AskModel): boolean => model.asks.length > 0;

/** On Slack and by webhook nobody chooses a scope, and a card has no button to withdraw. */
function wishOf({ seat }: Person, { answer, scope }: Wish): Wish {
  if (seat === 'web') return { answer, scope: answer === 'approve' ? scope : 'once' };
  return { answer: seat === 'slack' && answer === 'cancel' ? 'reject' : answer, scope: 'once' };
}

const personOf = ({ people }: AskRun, nth: number): Person => {
  const person = people[nth % people.length];
  if (!person) throw new Error('there is nobody');
  return person;
};

function expectedOf(model: AskModel, standing: Standing, person: Person, wish: Wish): Told['how'] {
  switch (standing.at) {
    case 'overdue':
      return 'late';
    case 'open':
      return model.killed && wish.answer === 'approve' ? 'frozen' : 'taken';
    case 'ended':
      return standing.by === person.name && JSON.stringify(standing.wish) === JSON.stringify(wish) ? 'taken' : 'late';
    default:
      throw new Error(`unknown standing ${String(standing satisfies never)}`);
  }
}

function end(model: AskModel, ask: ModelAsk, by: string, wish: Wish): void {
  ask.standing = { at: 'ended', status: RESULTS[wish.answer], by, wish };
  if (wish.answer !== 'approve') return;
  if (wish.scope === 'session') model.granted.add(ask.command);
  else if (ask.parked) model.once.set(ask.command, (model.once.get(ask.command) ?? 0) + 1);
}

interface Given {
  readonly nth: number;
  readonly who: number;
  readonly wish: Wish;
}

const answer = ({ nth, who, wish: wanted }: Given): Command =>
  command(
    `answer ${nth} by ${who}: ${wanted.answer} ${wanted.scope}`,
    async (model, real) => {
      const { ask, waiting } = pick(model, real, nth);
      const person = personOf(real, who);
      const wish = wishOf(person, wanted);
      const expected = expectedOf(model, ask.standing, person, wish);
      const told = await real.answer(person, waiting.askId, wish);
      expect([person.seat, told.how, told.text]).toEqual([person.seat, expected, expect.any(String)]);
      if (expected === 'taken' && ask.standing.at === 'open') end(model, ask, person.name, wish);
      if (expected === 'late' && ask.standing.at === 'ended' && ask.standing.by !== null) {
        expect(told.text).toContain(ask.standing.by);
      }
    },
    some,
  );

export type Meanwhile = 'nothing' | 'pass' | 'cancel' | 'stop' | 'engage';

interface Race {
  readonly nth: number;
  readonly wishes: readonly Wish[];
  readonly meanwhile: Meanwhile;
}

/** Several people at once, on their own channels, while something else may happen to the session. */
const race = (given: Race): Command =>
  command(
    `race ${given.nth}: ${given.wishes.map((one) => one.answer).join(' ')} while ${given.meanwhile}`,
    async (model, real) => {
      const wasKilled = model.killed;
      await runRace(model, real, given);
      // What else happened is followed after the answers are settled.
      follow(model, real, given, wasKilled);
    },
    (model) => some(model) && (given.meanwhile !== 'engage' || !model.killed),
  );

async function runRace(model: AskModel, real: AskRun, { nth, wishes, meanwhile }: Race): Promise<void> {
  const { ask, waiting } = pick(model, real, nth);
  const racers = wishes.map((wish, who) => {
    const person = personOf(real, who);
    return { person, wish: wishOf(person, wish) };
  });
  const before = ask.standing;
  const [told] = await Promise.all([
    Promise.all(racers.map(({ person, wish }) => real.answer(person, waiting.askId, wish))),
    happen(model, real, waiting.askId, meanwhile),
  ]);
  const taken = racers.filter((_racer, place) => told[place]?.how === 'taken');
  if (before.at === 'ended') return;
  const certain = before.at === 'open' && meanwhile === 'nothing' && !model.killed;
  await settleRace(model, real, { ask, askId: waiting.askId, taken, told, certain });
}

async function happen(model: AskModel, real: AskRun, askId: string, meanwhile: Meanwhile): Promise<void> {
  switch (meanwhile) {
    case 'nothing':
      return;
    case 'pass':
      // While it is frozen its time stands still, and nobody can tell which of the two came first.
      return model.killed ? undefined : real.pass(askId);
    case 'cancel':
      return real.cancel();
    case 'stop':
      return real.stop();
    case 'engage':
      return real.engage();
    default:
      throw new Error(`unknown event ${String(meanwhile satisfies never)}`);
  }
}

interface Raced {
  readonly ask: ModelAsk;
  readonly askId: string;
  readonly taken: readonly { readonly person: Person; readonly wish: Wish }[];
  readonly told: readonly Told[];
  /** Nothing but the answers can have ended it. */
  readonly certain: boolean;
}

/** Chance decided, so the model learns the winner; but there is one at most, and everybody else was told the same story. */
async function settleRace(model: AskModel, real: AskRun, { ask, askId, taken, told, certain }: Raced): Promise<void> {
  expect(taken.length).toBeLessThanOrEqual(1);
  if (certain) expect(taken).toHaveLength(1);
  expect(told.filter(({ how }) => how === 'other').map(({ text }) => text)).toEqual([]);
  const view = await real.ask(askId);
  const [winner] = taken;
  if (winner) {
    expect([view.status, view.resolvedBy]).toEqual([RESULTS[winner.wish.answer], winner.person.name]);
    end(model, ask, winner.person.name, winner.wish);
    const late = told.filter(({ how }) => how === 'late');
    for (const { text } of late) expect(text).toContain(winner.person.name);
    return;
  }
  expect(['open', 'cancelled', 'expired']).toContain(view.status);
  if (view.status !== 'open') ask.standing = { at: 'ended', status: view.status, by: null, wish: null };
}

function follow(model: AskModel, real: AskRun, { nth, meanwhile }: Race, wasKilled: boolean): void {
  if (meanwhile === 'engage') model.killed = true;
  if (meanwhile === 'pass' && !wasKilled) passed(pick(model, real, nth).ask);
  if (meanwhile === 'cancel') halt(model, true);
  if (meanwhile === 'stop') halt(model, false);
}

function passed(ask: ModelAsk): void {
  if (ask.standing.at === 'open') ask.standing = { at: 'overdue' };
}

/** A cancel and a stop end every open ask; one that was overdue may have expired first. */
function halt(model: AskModel, cancelled: boolean): void {
  model.cancelled = cancelled;
  for (const ask of model.asks) {
    if (ask.standing.at === 'open') ask.standing = { at: 'ended', status: 'cancelled', by: null, wish: null };
  }
}

const pass = (nth: number): Command =>
  command(
    `time passes for ${nth}`,
    async (model, real) => {
      const { ask, waiting } = pick(model, real, nth);
      await real.pass(waiting.askId);
      passed(ask);
    },
    (model) => some(model) && !model.killed,
  );

const park = (nth: number): Command =>
  command(
    `park ${nth}`,
    async (model, real) => {
      const { ask, waiting } = pick(model, real, nth);
      const done = await real.park(waiting);
      if (ask.standing.at === 'open') {
        expect(done).toBe(true);
        ask.parked = true;
      }
      if (done) ask.letGo = true;
    },
    some,
  );

const simple = (name: string, run: (real: AskRun) => Promise<unknown>, after: (model: AskModel) => void): Command =>
  command(
    name,
    async (model, real) => {
      await run(real);
      after(model);
    },
    ({ started }) => started,
  );

export interface Restarts {
  worker(): Promise<boolean>;
  approver(): Promise<boolean>;
}

/** Every kind of command, drawn at random. */
export function askCommands(restarts: Restarts): fc.Arbitrary<Command>[] {
  const nth = fc.nat({ max: 3 });
  const wish = fc.record({
    answer: fc.constantFrom<Wish['answer'][]>('approve', 'approve', 'reject', 'cancel'),
    scope: fc.constantFrom<Wish['scope'][]>('once', 'once', 'session'),
  });
  const texts = fc.constantFrom('make a', 'make b', 'make c', 'make d', 'make e');
  const meanwhile = fc.constantFrom<Meanwhile[]>('nothing', 'nothing', 'nothing', 'pass', 'cancel', 'stop', 'engage');
  const wishes = fc.array(wish, { minLength: 2, maxLength: 4 });
  const nothing = (): void => undefined;
  const given = fc.record({ nth, who: fc.nat({ max: 3 }), wish }).map(answer);
  // What ends or holds a whole session comes seldom: after it there is little left to answer.
  return [
    ...often(5, texts.map(call)),
    ...often(6, given),
    ...often(3, fc.record({ nth, wishes, meanwhile }).map(race)),
    nth.map(pass),
    nth.map(park),
    fc.constant(
      simple(
        'cancel',
        (real) => real.cancel(),
        (model) => halt(model, true),
      ),
    ),
    fc.constant(
      simple(
        'stop',
        (real) => real.stop(),
        (model) => halt(model, false),
      ),
    ),
    fc.constant(
      command(
        'engage the kill switch',
        async (model, real) => {
          await real.engage();
          model.killed = true;
        },
        ({ killed }) => !killed,
      ),
    ),
    fc.constant(
      command(
        'release the kill switch',
        async (model, real) => {
          await real.release();
          model.killed = false;
        },
        ({ killed }) => killed,
      ),
    ),
    fc.constant(simple('restart a worker', () => restarts.worker(), nothing)),
    fc.constant(simple('restart an approver', () => restarts.approver(), nothing)),
  ];
}

const often = (times: number, kind: fc.Arbitrary<Command>): fc.Arbitrary<Command>[] => Array(times).fill(kind);
