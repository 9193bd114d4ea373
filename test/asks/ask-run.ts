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
}

const MOST_UNAVAILABLE = 10;

/** What the model calls on. Every method ends when the service has answered. */
export class AskRun {
  /** Calls that opened an ask, in order. */
  readonly calls: Waiting[] = [];
  /** Calls that wait for an ask that another one opened. */
  readonly joined: Waiting[] = [];
  /** How often the house said that it was not available. */
  unavailable = 0;
  private sent = 0;
  private kills = 0;

  constructor(
    readonly world: AskWorld,
    readonly sessionId: string,
    readonly people: readonly Person[],
  ) {}

  private get place() {
    return { tenantId: TENANT, sessionId: this.sessionId };
  }

  /**
   * Sends a call and waits for its answer; when people are asked, that wait goes on, and what is given is that it is pending.
   * `joins`: the ask that it must join instead of opening one.
   */
  async call(command: string, joins: string | null): Promise<{ decision: unknown; ruleId: unknown }> {
    const { sessionId } = this;
    this.sent += 1;
    const waiters = joins === null ? 0 : await this.waitersOf(joins);
    const body = { sessionId, toolUseId: `use-${this.sent}`, tool: 'Bash', args: { command }, cwd: '/srv', wait: 60 };
    const released = this.post('/v1/tool-calls', body).then((answer) => this.untilReleased(answer));
    // Its failure is the run's, which hears of it below or at the end.
    released.catch(() => undefined);
    let answered = false;
    const direct = released.finally(() => (answered = true));
    direct.catch(() => undefined);
    while (!answered) {
      const ask = await this.newAsk();
      if (ask !== null) {
        this.calls.push({ askId: ask.id, command, released });
        return { decision: joins === null ? 'pending' : 'opened another ask', ruleId: ask.ruleId };
      }
      if (joins !== null && (await this.waitersOf(joins)) > waiters) {
        this.joined.push({ askId: joins, command, released });
        return { decision: 'pending', ruleId: null };
      }
      await pause(5);
    }
    const { decision, ruleId } = (await released).body;
    return { decision, ruleId };
  }

  private async waitersOf(askId: string): Promise<number> {
    const opened = await this.world.ledger.asks.opened(TENANT, [askId]);
    return opened[askId]?.joined?.length ?? 0;
  }

  private async newAsk(): Promise<AskView | null> {
    const query = { tenantId: TENANT, sessionId: this.sessionId, status: 'open', limit: 50 } as const;
    const { items } = await this.world.ledger.asks.list(query);
    return items.find(({ id }) => this.calls.every(({ askId }) => askId !== id)) ?? null;
  }

  /** A wait may end without an answer; to send the call again would hold a parked one, so it is looked up. */
  private async untilReleased(answer: Answer): Promise<Answer> {
    if (answer.body.decision !== 'pending') return answer;
    await pause(500);
    const url = `${this.world.gateway}/v1/tool-calls/${answer.body.id}`;
    return this.untilReleased(await send(url, { key: this.world.agentKey }));
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

  answer(person: Person, askId: string, wish: Wish): Promise<Told> {
    return answerAs(this.world, person, askId, wish);
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
    const kill = { scope: 'session', value: sessionId, reason: 'drill', by: 'test' } as const;
    await this.tenant({ type: 'EngageKill', killId: this.killId, ...kill });
  }

  async release(): Promise<void> {
    await this.tenant({ type: 'ReleaseKill', killId: this.killId, by: 'test' });
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
