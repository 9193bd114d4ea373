/** One sequence on its way: its tenant, its sessions and calls, and the doors it knocks at. */
import type { AskView, CallOutcome, PolicyDocument, StoredEvent } from '@countersign/contracts';
import type { CompiledPolicy } from '@countersign/policy';
import { compilePolicy, parsePolicyDocument } from '@countersign/policy';
import type { SessionState } from '@countersign/approval';
import { Executor } from './executor.js';
import { allPages, send, type Answer } from '../system/doors.js';
import type { CallWish, SequenceRow } from './sequence-row.js';
import type { Keys, Stack } from './stack.js';

/** A call that was sent, and how it was answered. */
export interface SentCall {
  readonly wish: CallWish;
  readonly sessionId: string;
  readonly answer: Answer;
  outcome: CallOutcome | null;
}

/** The agent that the top of a run is called by. */
export const LEAD = 'lead';

interface SequenceParts {
  readonly stack: Stack;
  readonly row: SequenceRow;
  readonly keys: Keys;
  readonly policy: CompiledPolicy;
  readonly warnings: readonly unknown[];
}

export class Sequence {
  readonly calls = new Map<string, SentCall>();
  readonly sessionId: string;
  private runner: Executor | null = null;
  readonly stack: Stack;
  readonly row: SequenceRow;
  readonly keys: Keys;
  readonly policy: CompiledPolicy;
  readonly warnings: readonly unknown[];

  private constructor({ stack, row, keys, policy, warnings }: SequenceParts) {
    this.stack = stack;
    this.row = row;
    this.keys = keys;
    this.policy = policy;
    this.warnings = warnings;
    this.sessionId = `${row.id}-session`;
  }

  /** Makes the tenant, publishes the policy through its door and opens the session. */
  static async open(stack: Stack, row: SequenceRow): Promise<Sequence> {
    const keys = await stack.tenant(row.id, { roots: row.roots, home: row.home, policy: row.id });
    const document = documentOf(row);
    const published = await send(`${stack.approver}/v1/policies/${row.id}`, {
      method: 'PUT',
      key: keys.admin,
      body: document,
    });
    if (published.status !== 200) throw new Error(`the policy was refused: ${JSON.stringify(published.body)}`);
    const warnings = published.body['warnings'] as unknown[];
    const sequence = new Sequence({ stack, row, keys, policy: compiled(document), warnings });
    await sequence.openSession(sequence.sessionId, {});
    return sequence;
  }

  /** The session of an agent: the sequence's own, or the child of that name. */
  sessionOf(agent: string | undefined): string {
    return agent === undefined || agent === LEAD ? this.sessionId : `${this.sessionId}-${agent}`;
  }

  async openSession(id: string, more: object): Promise<Answer> {
    const { cwd, roots, session } = this.row;
    const silent = session?.interactive === false;
    const body = { id, agent: LEAD, cwd, roots, ...(silent ? { silent } : {}), ...more };
    return this.agent('POST', '/v1/sessions', body);
  }

  agent(method: string, path: string, body?: unknown): Promise<Answer> {
    return send(this.stack.gateway + path, { method, key: this.keys.agent, ...(body === undefined ? {} : { body }) });
  }

  /** The session's owner, a person with the right to manage it. */
  owner(method: string, path: string, body?: unknown): Promise<Answer> {
    return send(this.stack.gateway + path, { method, key: this.keys.admin, ...(body === undefined ? {} : { body }) });
  }

  people(method: string, path: string, body?: unknown): Promise<Answer> {
    const key = method === 'GET' ? this.keys.admin : this.keys.approver;
    return send(this.stack.approver + path, { method, key, ...(body === undefined ? {} : { body }) });
  }

  sent(id: string): SentCall {
    const call = this.calls.get(id);
    if (call === undefined) throw new Error(`no call \`${id}\` was sent`);
    return call;
  }

  /** Our id of a sent call. */
  callId(id: string): string {
    const { outcome } = this.sent(id);
    if (outcome === null) throw new Error(`the call \`${id}\` was refused at the door`);
    return outcome.id;
  }

  /** Events of the tenant's sessions, oldest first. */
  async events(query: Record<string, string>): Promise<StoredEvent[]> {
    const search = new URLSearchParams({ limit: '500', ...query });
    const newestFirst = await allPages<StoredEvent>(`${this.stack.approver}/v1/events?${search}`, this.keys.auditor);
    return newestFirst.reverse();
  }

  /** Events about one call; those of its ask too. */
  async eventsOf(id: string): Promise<StoredEvent[]> {
    const { sessionId } = this.sent(id);
    const callId = this.callId(id);
    const all = await this.events({ session: sessionId });
    const askIds = all.filter((event) => event.callId === callId).map((event) => event.askId);
    return all.filter((event) => event.callId === callId || (event.askId !== null && askIds.includes(event.askId)));
  }

  async state(sessionId = this.sessionId): Promise<SessionState> {
    const answer = await this.people('GET', `/v1/sessions/${encodeURIComponent(sessionId)}`);
    if (answer.status !== 200) throw new Error(`no session: ${JSON.stringify(answer.body)}`);
    return answer.body['state'] as SessionState;
  }

  async ask(id: string): Promise<AskView & Record<string, unknown>> {
    const askId = this.sent(id).outcome?.askId;
    if (askId === undefined) throw new Error(`the call \`${id}\` has no ask`);
    const answer = await this.people('GET', `/v1/asks/${askId}`);
    return answer.body as unknown as AskView & Record<string, unknown>;
  }

  /** Whether the call's events come over the stream of the root session, read from its beginning. */
  async streamed(id: string): Promise<boolean> {
    const url = `${this.stack.gateway}/v1/sessions/${this.sessionId}/stream`;
    const headers = { authorization: `Bearer ${this.keys.agent}`, 'last-event-id': '0' };
    const text = await readFor(STREAM_MS, await fetch(url, { headers }));
    return text.includes(this.callId(id));
  }

  /** Takes up every allowed call of the session that is not reported, and listens. */
  async executor(): Promise<Executor> {
    this.runner ??= await Executor.open(this.stack.gateway, this.keys.agent, this.sessionId);
    const { reports, running } = await this.state();
    const known = new Set([...reports, ...running].map(({ callId }) => callId));
    for (const { wish, outcome, sessionId } of this.calls.values()) {
      if (outcome?.decision !== 'allow' || sessionId !== this.sessionId || known.has(outcome.id)) continue;
      const { permit = '' } = outcome as { permit?: string };
      await this.runner.takeUp({ permit, tool: wish.tool, args: wish.args, cwd: this.row.cwd });
    }
    return this.runner;
  }

  /** What whoever runs the call was told on the agents' line: `interrupt`, or nothing, and it runs on. */
  interruptOf(id: string): string {
    return this.runner?.interrupted.has(this.callId(id)) === true ? 'interrupt' : 'running';
  }

  close(): void {
    this.runner?.close();
  }

  /** The call as it stands now. */
  async look(id: string): Promise<CallOutcome> {
    const answer = await this.agent('GET', `/v1/tool-calls/${this.callId(id)}`);
    return answer.body as CallOutcome;
  }
}

/** Rows write policies as their seeds do; a plain manifest becomes the document's tools. */
function documentOf({ preset, mode, policy, manifest }: SequenceRow): Record<string, unknown> {
  const tools = manifest.map(({ concurrencySafe, ...tool }) => ({
    ...tool,
    ...(concurrencySafe === undefined ? {} : { concurrencySafe: concurrencyOf(concurrencySafe) }),
  }));
  return { preset, mode: mode === 'none' ? 'default' : mode, ...policy, ...(tools.length === 0 ? {} : { tools }) };
}

function concurrencyOf(safe: unknown): unknown {
  if (typeof safe === 'boolean') return safe;
  const { whenArg, equals } = safe as { whenArg: string; equals: unknown };
  return { when: { arg: whenArg, equals } };
}

function compiled(input: Record<string, unknown>): CompiledPolicy {
  const parsed = parsePolicyDocument(input);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const document: PolicyDocument = parsed.document;
  const result = compilePolicy(document);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.policy;
}

const STREAM_MS = 500;

/** What a response brings within the time. */
async function readFor(ms: number, response: Response): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const timer = setTimeout(() => void reader.cancel(), ms);
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read())
    text += Buffer.from(part.value).toString();
  clearTimeout(timer);
  return text;
}
