/** Judges one call given on the command line, offline. */
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import {
  argumentsAt,
  inspectJson,
  type Facts,
  type Mode,
  type Preset,
  type ResolvedPaths,
  type Verdict,
} from '@countersign/contracts';
import { evaluate, requiredPaths, type CompiledPolicy, type EngineCall } from '@countersign/policy';
import { resolveEvidence } from '@countersign/server/evidence';
import { loadPolicy, originOf, type Variables } from './load-policy.js';
import { complain, type Streams } from './streams.js';

/** What `check` and `explain` are given. `args` is JSON text; paths are taken relative to the current folder. */
export interface CallOptions {
  readonly policy?: string;
  readonly preset?: Preset;
  readonly tool: string;
  readonly args: string;
  readonly mode?: Mode;
  readonly cwd?: string;
  readonly root?: readonly string[];
  readonly home?: string;
  /** The operating system of the agent's machine; absent: this one's. */
  readonly platform?: Facts['platform'];
  readonly silent: boolean;
  readonly resolve: boolean;
  readonly json: boolean;
  /** The environment, which may set policy; absent: it does not count. */
  readonly variables?: Variables;
}

export interface JudgedCall {
  readonly policy: CompiledPolicy;
  readonly verdict: Verdict;
}

/** The verdict; null when policy or arguments cannot be read, which was told. */
export async function judgeCall(options: CallOptions, streams: Streams): Promise<JudgedCall | null> {
  if (options.tool.trim() === '') {
    complain(streams, '--tool needs the name of a tool, as `Bash` or `mcp__server__tool`');
    return null;
  }
  const policy = await loadPolicy(originOf(options.policy ?? null, options), streams);
  if (policy === null) return null;
  const mode = options.mode ?? policy.document.mode;
  if (!policy.preset.legalModes.includes(mode)) {
    complain(streams, `preset \`${policy.preset.name}\` has no mode \`${mode}\``);
    return null;
  }
  const facts = factsOf(options, mode);
  const call = callOf(options, facts, streams);
  if (call === null) return null;
  const paths = requiredPaths(call, policy, facts.session);
  const resolvedPaths = options.resolve ? await resolveEvidence(paths) : asWritten(paths);
  return { policy, verdict: evaluate(call, policy, { ...facts, resolvedPaths }) };
}

/** Without a look at the disk, every path exists and is no link. */
function asWritten(paths: readonly string[]): ResolvedPaths {
  return Object.fromEntries(paths.map((path) => [path, { real: path, exists: true }]));
}

function callOf(options: CallOptions, facts: Facts, streams: Streams): EngineCall | null {
  const inspected = inspectJson(options.args);
  if (!inspected.ok) {
    complain(streams, '--args is not JSON');
    return null;
  }
  const received = argumentsAt(inspected, [], (text) => createHash('sha256').update(text).digest('hex'));
  const { hash: argsHash } = received;
  const { cwd } = facts.session;
  const base = { tool: options.tool, argsHash, cwd, reportedMode: null };
  return received.state === 'ok'
    ? { ...base, args: inspected.value, problem: null }
    : { ...base, args: undefined, problem: received.problem };
}

function factsOf(options: CallOptions, mode: Mode): Facts {
  const cwd = resolve(options.cwd ?? '.');
  const roots = options.root ?? [cwd];
  return {
    now: new Date().toISOString(),
    session: {
      sessionId: 'command-line',
      cancelled: false,
      stopped: false,
      breakerOpen: false,
      heldBy: null,
      mode,
      silent: options.silent,
      subagent: false,
      tools: null,
      rules: [],
      grants: [],
      roots: roots.map((root) => resolve(cwd, root)),
      cwd,
      home: options.home ?? homedir(),
    },
    resolvedPaths: {},
    protectedPaths: [],
    platform: options.platform ?? process.platform,
  };
}
