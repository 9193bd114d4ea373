/** One root session and its child, driven at random through the doors, with the model beside them. */
import { setTimeout as pause } from 'node:timers/promises';
import { send, type Answer } from '../system/doors.js';
import {
  cancel,
  endAsks,
  newSession,
  predictAnswer,
  predictCall,
  reset,
  stop,
  type AnswerKind,
  type CallKind,
  type ModelSession,
  type Prediction,
} from './model.js';

export interface FamilyDoors {
  readonly gateway: string;
  readonly approver: string;
  readonly keys: { readonly agentKey: string; readonly approverKey: string; readonly adminKey: string };
}

/** Longer than an outage of all workers. */
const PATIENCE_MS = 60_000;
/** Until every gateway has heard of a release. */
const RELEASE_MS = 1_500;

export class Family {
  readonly sessions: readonly [ModelSession, ModelSession];
  /** Sentences about what was not as predicted. */
  readonly differences: string[] = [];
  calls = 0;
  /** Calls that happened to be in the hands of two workers that were killed: recorded denies of no policy. */
  internal = 0;
  private number = 0;

  constructor(
    private readonly doors: FamilyDoors,
    name: string,
    private readonly chance: () => number,
  ) {
    const root = newSession(`${name}-root`, null);
    this.sessions = [root, newSession(`${name}-child`, root)];
  }

  /** Opens both sessions, then makes so many calls with everything else between them. */
  async run(calls: number): Promise<void> {
    for (const session of this.sessions) {
      await this.post(`/v1/sessions`, {
        id: session.id,
        agent: 'driver',
        cwd: '/srv',
        ...(session.parent === null ? {} : { parentId: session.parent.id }),
      });
      session.started = true;
    }
    while (this.calls < calls) await this.move();
    // Whatever still is engaged would hold the sessions of the next run.
    for (const session of this.sessions) if (session.killed) await this.release(session);
  }

  private killIds = new Map<ModelSession, string>();

  private async move(): Promise<void> {
    const session = this.chance() < 0.6 ? this.sessions[0] : this.sessions[1];
    const drawn = this.chance();
    if (session.openAsks.length > 0 && drawn < 0.35) return this.answer(session);
    if (drawn < 0.9) return this.call(session);
    if (drawn < 0.915) return this.end(session, 'cancel');
    if (drawn < 0.955) return this.end(session, 'stop');
    if (drawn < 0.996) return this.reset(session);
    return session.killed ? this.release(session) : this.engage(session);
  }

  private async call(session: ModelSession): Promise<void> {
    const kind = this.pick<CallKind>(['allowed', 'allowed', 'allowed', 'denied', 'asked']);
    // A third of the calls repeat the one before, so that runs of identical ones come about.
    if (this.chance() > 0.3) this.number += 1;
    const text = `${COMMANDS[kind]} ${this.number}`;
    this.calls += 1;
    const toolUseId = `call-${this.calls}`;
    const before = this.sessions.map(copyOf);
    const predicted = predictCall(session, kind, text);
    const args = { command: text };
    const body = { sessionId: session.id, agent: 'driver', toolUseId, tool: 'Bash', args, cwd: '/srv', wait: 0 };
    const answer = await this.post('/v1/tool-calls', body);
    if (answer.body.ruleId === 'internal.error') this.forgive(session, text, before);
    else this.compare(session, toolUseId, predicted, answer);
    if (answer.body.decision === 'pending') session.openAsks.push(String(answer.body.askId));
    await this.endByBreaker();
    if (answer.body.decision === 'allow' && this.chance() < 0.3) {
      await this.post(`/v1/tool-calls/${answer.body.id}/result`, { status: 'succeeded', output: 'ok' });
    }
  }

  private compare(session: ModelSession, id: string, predicted: Prediction, { body }: Answer): void {
    const { decision, ruleId = '', stop: told = false } = body;
    const same = decision === predicted.decision && predicted.ruleIds.includes(ruleId) && told === predicted.stop;
    if (same) return;
    const seen = JSON.stringify({ decision, ruleId, stop: told });
    this.differences.push(`${session.id} ${id}: ${seen}, predicted ${JSON.stringify(predicted)}`);
  }

  /** A call that could not be judged was denied, and counts in no breaker. What the model made of it is taken back. */
  private forgive(session: ModelSession, text: string, before: readonly ModelSession[]): void {
    this.internal += 1;
    this.sessions.forEach((one, place) => Object.assign(one, before[place]));
    session.stopped = false;
    session.counts.denied += 1;
    session.last = { text, run: session.last?.text === text ? session.last.run + 1 : 1 };
  }

  /** An open breaker ends the asks of its session at once; those of sessions below follow. */
  private async endByBreaker(): Promise<void> {
    for (const session of this.sessions) {
      if (session.breakerOpen) await this.endsAll(session);
    }
  }

  private async endsAll(ended: ModelSession): Promise<void> {
    const waiting = this.sessions.filter((one) => one === ended || one.parent === ended).flatMap((one) => one.openAsks);
    for (const askId of waiting) await this.untilEnded(askId);
    endAsks(this.sessions, ended);
  }

  private async untilEnded(askId: string): Promise<void> {
    const until = Date.now() + PATIENCE_MS;
    while (Date.now() < until) {
      const { body } = await send(`${this.doors.approver}/v1/asks/${askId}`, { key: this.doors.keys.approverKey });
      if (body['status'] === 'cancelled') return;
      if (body['status'] !== 'open') break;
      await pause(50);
    }
    this.differences.push(`the ask ${askId} did not end as cancelled`);
  }

  private async answer(session: ModelSession): Promise<void> {
    const [askId = ''] = session.openAsks;
    const answer = this.pick<AnswerKind>(['approve', 'approve', 'reject', 'cancel']);
    const predicted = predictAnswer(session, askId, answer);
    const url = `${this.doors.approver}/v1/asks/${askId}/answer`;
    const { status, body } = await send(url, { key: this.doors.keys.approverKey, body: { answer } });
    if (status !== predicted)
      this.differences.push(`${askId}: ${answer} got ${status} ${JSON.stringify(body)}, predicted ${predicted}`);
    await this.endByBreaker();
  }

  private async end(session: ModelSession, how: 'cancel' | 'stop'): Promise<void> {
    if (how === 'cancel') cancel(session);
    else stop(session);
    await this.post(`/v1/sessions/${session.id}/${how}`, {});
    await this.endsAll(session);
  }

  private async reset(session: ModelSession): Promise<void> {
    reset(session);
    await this.post(`/v1/sessions/${session.id}/reset-breaker`, {}, this.doors.keys.adminKey);
  }

  private async engage(session: ModelSession): Promise<void> {
    const body = { scope: 'session', value: session.id, reason: 'the model says so' };
    const answer = await send(`${this.doors.approver}/v1/kill-switches`, { key: this.doors.keys.adminKey, body });
    if (answer.status >= 300) throw new Error(`no kill switch: ${JSON.stringify(answer.body)}`);
    this.killIds.set(session, String(answer.body['id'] ?? answer.body['killId']));
    session.killed = true;
  }

  private async release(session: ModelSession): Promise<void> {
    const url = `${this.doors.approver}/v1/kill-switches/${this.killIds.get(session) ?? ''}/release`;
    const answer = await send(url, { key: this.doors.keys.adminKey, body: {} });
    if (answer.status >= 300) throw new Error(`no release: ${JSON.stringify(answer.body)}`);
    session.killed = false;
    await pause(RELEASE_MS);
  }

  /** Sends until the service answers: the same call again is the same call. */
  private async post(path: string, body: unknown, key = this.doors.keys.agentKey): Promise<Answer> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const answer = await send(this.doors.gateway + path, { key, body });
      if (answer.status < 500) {
        if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
        return answer;
      }
      if (Date.now() > until) throw new Error(`${path} was not answered: ${JSON.stringify(answer.body)}`);
      await pause(100);
    }
  }

  private pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.chance() * choices.length)] as T;
  }
}

const COMMANDS: Readonly<Record<CallKind, string>> = { allowed: 'echo', denied: 'git push', asked: 'make' };

function copyOf(session: ModelSession): ModelSession {
  return { ...session, counts: { ...session.counts }, openAsks: [...session.openAsks] };
}
