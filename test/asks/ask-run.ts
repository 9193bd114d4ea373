/** One session of an agent whose asks people answer: the real side of the model, with everything that the run was told. */
import { setTimeout as pause } from 'node:timers/promises';
import type { AskView } from '@countersign/contracts';
import { eventually, send, type Answer } from '../system/doors.js';
import { answerAs, type Told, type Wish } from './answering.js';
import { TENANT, type AskWorld, type Person } from './ask-world.js';

/** A call that asked, and the agent that waits for it. */
export interface Waiting {
  readonly callId: string;
  readonly askId: string;
  readonly toolUseId: string;
  readonly command: string;
  /** Resolves with the final answer to the call. */
  readonly released: Promise<Answer>;
}

/** What the model calls on. Every method ends when the service has answered. */
export class AskRun {
  readonly calls: Waiting[] = [];
  private sent = 0;

  constructor(
    readonly world: AskWorld,
    readonly sessionId: string,
    readonly people: readonly Person[],
  ) {}

  private get place() {
    return { tenantId: TENANT, sessionId: this.sessionId };
  }

  /** Sends a call; when it asks, somebody waits for its answer from now on. */
  async call(command: string): Promise<Answer> {
    this.sent += 1;
    const toolUseId = `use-${this.sent}`;
    const answer = await this.post('/v1/tool-calls', this.bodyOf(toolUseId, command, 0));
    const { id, askId } = answer.body;
    if (answer.body.decision === 'pending' && typeof id === 'string' && typeof askId === 'string') {
      const released = this.untilReleased(toolUseId, command);
      this.calls.push({ callId: id, askId, toolUseId, command, released });
    }
    return answer;
  }

  private bodyOf(toolUseId: string, command: string, wait: number) {
    const { sessionId } = this;
    return { sessionId, toolUseId, tool: 'Bash', args: { command }, cwd: '/srv', wait };
  }

  /** As a client does: a wait that ends without an answer is begun again. */
  private async untilReleased(toolUseId: string, command: string): Promise<Answer> {
    for (;;) {
      const answer = await this.post('/v1/tool-calls', this.bodyOf(toolUseId, command, 30));
      if (answer.body.decision !== 'pending') return answer;
    }
  }

  private async post(path: string, body: unknown): Promise<Answer> {
    const answer = await send(this.world.gateway + path, { key: this.world.agentKey, body });
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

  /** The hook of the call is let go, and an approval becomes a grant; `again`: the same call is held once more. */
  async park({ askId, callId }: Waiting): Promise<boolean> {
    return (await this.world.ledger.execute(this.place, { type: 'ParkAsk', askId, callId })).ok;
  }

  async cancel(): Promise<void> {
    await this.post(`/v1/sessions/${this.sessionId}/cancel`, {});
  }

  async stop(): Promise<void> {
    await this.post(`/v1/sessions/${this.sessionId}/stop`, {});
  }

  async engage(): Promise<void> {
    const { sessionId } = this;
    const kill = { killId: `kill-${sessionId}`, scope: 'session', value: sessionId, reason: 'drill', by: 'test' } as const;
    await this.tenant({ type: 'EngageKill', ...kill });
  }

  async release(): Promise<void> {
    await this.tenant({ type: 'ReleaseKill', killId: `kill-${this.sessionId}`, by: 'test' });
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
