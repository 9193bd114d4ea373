/** `countersign hook <agent>`: an agent's hook JSON in, its reply out. Whatever fails, an unjudged tool does not run. */
import type { Readable, Writable } from 'node:stream';
import { homedir } from 'node:os';
import { readEndpoints } from '../home/endpoints.js';
import { homeLayout } from '../home/layout.js';
import type { CliEnv } from '../env.js';
import type { HookAgent } from './agents.js';
import { callEvidence } from './call-evidence.js';
import { refuse, type Failure, type OnFailure } from './on-failure.js';
import { postHook, type PostTarget } from './post.js';
import { readInput, withMember, type HookBody } from './read-input.js';

export interface HookOptions {
  readonly agent: HookAgent;
  readonly onFailure: OnFailure;
  /** Longest wait for the answer, in seconds. */
  readonly timeoutSeconds: number;
}

export interface HookStreams {
  readonly input: Readable;
  readonly output: Writable;
  readonly complaints: Writable;
}

/** INVARIANT: a call that the service holds is people's to decide: not even `--on-failure ask` hands it to whoever sits at the prompt. */
const PENDING =
  'pending: the service has this call and no answer came before the deadline (--timeout); retry the same call after approval';

/** Serves one hook and gives the exit code: 0 with the agent's reply on the output, 2 with the reason on the complaints. */
export async function runHook(env: CliEnv, options: HookOptions, streams: HookStreams): Promise<number> {
  const deadline = performance.now() + options.timeoutSeconds * 1_000;
  const input = await readInput(streams.input);
  if (!input.ok) return fail(null, input.reason, options, streams);
  const target = await findService(env, options.agent, deadline);
  if (!target.ok) return fail(input.body, target.reason, options, streams);
  const answer = await postHook(target.target, await withEvidence(options.agent, input.body));
  if (!answer.ok && answer.waiting) return fail(input.body, PENDING, { ...options, onFailure: 'pending' }, streams);
  if (!answer.ok) return fail(input.body, answer.reason, options, streams);
  if (!isJsonObject(answer.text)) return fail(input.body, 'the service sent an unreadable answer', options, streams);
  streams.output.write(`${answer.text}\n`);
  return 0;
}

type Service = { ok: true; target: PostTarget } | { ok: false; reason: string };

/** The environment names the service, or the home's `endpoints.json` does. */
async function findService(env: CliEnv, agent: HookAgent, deadline: number): Promise<Service> {
  const layout = homeLayout(env.home);
  const endpoints = env.serviceUrl !== null && env.token !== null ? null : await readEndpoints(layout.endpoints);
  const base = env.serviceUrl ?? endpoints?.gateway;
  const token = env.token ?? endpoints?.agentKey;
  if (base === undefined || token === undefined) {
    return {
      ok: false,
      reason: `no service is known: set COUNTERSIGN_URL and COUNTERSIGN_TOKEN, or run it in ${env.home}`,
    };
  }
  return { ok: true, target: { url: `${base.replace(/\/+$/, '')}/hooks/${agent}`, token, deadline } };
}

/** The body with what only this machine knows; without it the service asks rather than allows. */
async function withEvidence(agent: HookAgent, body: HookBody): Promise<string> {
  const resolvedPaths = await callEvidence(agent, body.value, homedir()).catch(() => null);
  if (resolvedPaths === null) return body.text;
  return withMember(body.text, 'countersign', { resolvedPaths, home: homedir(), platform: process.platform });
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

async function fail(
  body: HookBody | null,
  reason: string,
  options: { agent: HookAgent; onFailure: Failure },
  streams: HookStreams,
): Promise<number> {
  const refusal = await refuse(options.agent, body, reason, options.onFailure);
  streams.complaints.write(`countersign: ${refusal.complaint}\n`);
  if (refusal.reply !== null) streams.output.write(`${JSON.stringify(refusal.reply)}\n`);
  return refusal.exitCode;
}
