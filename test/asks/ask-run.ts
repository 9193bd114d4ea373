/** One session of an agent whose asks people answer: the real side of the model, with everything that the run was told. */
import { setTimeout as pause } from 'node:timers/promises';
import type { AskView } from '@countersign/contracts';
import { eventually, send, type Answer } from '../system/doors.js';
import { answerAs, type Told, type Wish } from './answering.js';
import { TENANT, type AskWorld, type Person } from './ask-world.js';

/** A call that asked, and the agent that waits for it. */
export interface Waiting {
  readonly askId: string;
  readonly command: string;
  /** Resolves with the final answer to the call. */
  readonly released: Promise<Answer>;
  /** What that answer was, in words. */
  told?: string;
}

const MOST_UNAVAILABLE = 10;
/** Seconds of one wait for people. */
const WAIT = 60;

/** Was an allow kept back by a gateway that knows of a kill switch? The decision stands as it is. */
export const isWithheld = ({ body }: Answer): boolean => body.decision === 'deny' && body.ruleId === 'guard.killed';

/** What the model calls on. Every method ends when the service has answered. */
export class AskRun {
  /** Calls that opened an ask, in order. */
  readonly calls: Waiting[] = [];
  /** Calls that wait for an ask that another one opened. */
  readonly joined: Waiting[] = [];
  /** What was done, and what came of it: for whoever reads of a failure. */
  readonly journal: string[] = [];
  /** How often the house said that it was not available. */
  unavailable = 0;
  /** Allows that a kill switch kept back. */
  withheld = 0;
  /** Kill switches that were engaged so far. */
  kills = 0;
  private sent = 0;
  private engaged = false;

  constructor(
    readonly world: AskWorld,
    readonly sessionId: string,
    readonly people: readonly Person[],
  ) {}

  private get place() {
    return { tenantId: TENANT, sessionId: this.sessionId };
  }

  /** Sends a call; when people are asked, its agent waits from then on. `joins`: the ask that it must join instead of opening one. */
  async call(command: string, joins: string | null): Promise<{ decision: unknown; ruleId: unknown }> {
    const { sessionId } = this;
    this.sent += 1;
    const body = { sessionId, toolUseId: `use-${this.sent}`, tool: 'Bash', args: { command }, cwd: '/srv', wait: 0 };
    const answer = await this.handedOut(await this.post('/v1/tool-calls', body));
    const { decision, ruleId, askId } = answer.body;
    this.journal.push(`  the agent is told ${String(decision)} ${String(ruleId)} ${askId ?? ''}`);
    if (decision !== 'pending' || askId === undefined) return { decision, ruleId };
    if (askId !== joins && (joins !== null || this.calls.some((one) => one.askId === askId))) {
      return { decision: joins === null ? 'joined another ask' : 'opened another ask', ruleId };
    }
    const waiting: Waiting = { askId, command, released: this.untilReleased(answer) };
    // Its failure is the run's, which hears of it at the end.
    waiting.released.then(({ body: told }) => (waiting.told = JSON.stringify(told))).catch(() => undefined);
    (joins === null ? this.calls : this.joined).push(waiting);
    return { decision, ruleId };
  }

  /** A gateway may learn of a release a moment late; then the same call, asked for again, is handed out. */
  private async handedOut(answer: Answer): Promise<Answer> {
    if (this.engaged || !isWithheld(answer)) return answer;
    return this.untilHandedOut(answer);
  }

  /** The answer to a call whose allow was kept back, once it is not any more. */
  untilHandedOut({ body }: Answer): Promise<Answer> {
    this.withheld += 1;
    return eventually(async () => {
      const again = await this.look(body.id);
      return !isWithheld(again) && again;
    });
  }

  private look(callId: unknown, wait = 0): Promise<Answer> {
    const { gateway, agentKey } = this.world;
    return send(`${gateway}/v1/tool-calls/${String(callId)}?wait=${wait}`, { key: agentKey });
  }

  /** Waits as an agent does: each wait ends after a while, with or without an answer, and then it waits again. */
  private async untilReleased(answer: Answer): Promise<Answer> {
    if (answer.body.decision !== 'pending') return answer;
    return this.untilReleased(await this.look(answer.body.id, WAIT));
  }

  /** As a client does, again when the house says that it is not available: the same call is the same call. */
  private async post(path: string, body: unknown): Promise<Answer> {
    const answer = await send(this.world.gateway + path, { key: this.world.agentKey, body });
    if (answer.status === 503 && this.unavailable < MOST_UNAVAILABLE) {
      this.unavailable += 1;
      await pause(200);
      return this.post(path, body);
    }
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  }

  async answer(person: Person, askId: string, wish: Wish): Promise<Told> {
    const told = await answerAs(this.world, person, askId, wish);
    this.journal.push(`  ${person.name}: ${wish.answer} ${wish.scope} of ${askId} was ${told.how}: ${told.text}`);
    return told;
  }

  async ask(askId: string): Promise<AskView> {
    const ask = await this.world.ledger.asks.get(TENANT, askId);
    if (ask === null) throw new Error(`ask ${askId} is gone`);
    return ask;
  }

  /** The ask's time is over from now on; whoever looks for due asks ends it. */
  async pass(askId: string): Promise<void> {
    await this.world.owner.query(
      `UPDATE asks SET opened_at = opened_at - interval '2 hours', deadline = deadline - interval '2 hours'
       WHERE id = $1 AND status = 'open'`,
      [askId],
    );
  }

  /** Every hook that waits for the ask is let go: an approval becomes a grant. False: the ask is not open any more. */
  async park({ askId }: Waiting): Promise<boolean> {
    return (await this.world.ledger.execute(this.place, { type: 'ParkAsk', askId })).ok;
  }

  async cancel(): Promise<void> {
    await this.post(`/v1/sessions/${this.sessionId}/cancel`, {});
  }

  async stop(): Promise<void> {
    await this.post(`/v1/sessions/${this.sessionId}/stop`, {});
  }

  async engage(): Promise<void> {
    const { sessionId } = this;
    this.kills += 1;
    this.engaged = true;
    const kill = { scope: 'session', value: sessionId, reason: 'drill', by: 'test' } as const;
    await this.tenant({ type: 'EngageKill', killId: this.killId, ...kill });
  }

  async release(): Promise<void> {
    await this.tenant({ type: 'ReleaseKill', killId: this.killId, by: 'test' });
    this.engaged = false;
  }

  private get killId(): string {
    return `kill-${this.sessionId}-${this.kills}`;
  }

  private async tenant(command: Parameters<AskWorld['ledger']['executeTenant']>[1]): Promise<void> {
    const done = await this.world.ledger.executeTenant(TENANT, command);
    if (!done.ok) throw new Error(`${command.type}: ${done.code}`);
  }

  /** Waits until the ask has ended. */
  ended(askId: string): Promise<AskView> {
    return eventually(async () => {
      const ask = await this.ask(askId);
      return ask.status !== 'open' && ask;
    });
  }
}

/** Work that the runs share: at most one at a time, and not again within `everyMs`. */
export function seldom(work: () => Promise<void>, everyMs: number): () => Promise<boolean> {
  let busy = false;
  let last = Date.now();
  return async () => {
    if (busy || Date.now() - last < everyMs) {
      await pause(0);
      return false;
    }
    busy = true;
    try {
      await work();
    } finally {
      busy = false;
      last = Date.now();
    }
    return true;
  };
}
