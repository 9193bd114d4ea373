/** Where sample calls are judged: an orderly machine on which every path exists and is no link. */
import type { Effect, Facts, Mode, ResolvedPaths, Verdict } from '@countersign/contracts';
import type { EngineCall } from '../engine/analysis.js';
import { evaluate } from '../engine/evaluate.js';
import { requiredPaths } from '../engine/required-paths.js';
import type { CompiledPolicy } from '../policy/compile.js';

/** Where the agent is taken to work; paths absolute. Absent: `/project`, with home `/home/user` on linux. */
export interface PolicyContext {
  readonly roots?: readonly string[];
  readonly cwd?: string | null;
  readonly home?: string | null;
  readonly platform?: string;
  readonly protectedPaths?: readonly string[];
}

/** A context with its defaults filled in. */
export interface Scene {
  readonly roots: readonly string[];
  readonly cwd: string;
  readonly home: string | null;
  readonly platform: string;
  readonly protectedPaths: readonly string[];
}

/** A call as data: a tool and its arguments. */
export interface SampleCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** How strict an effect is. */
export const STRICTNESS: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

/** Fills in a context. */
export function sceneOf(context: PolicyContext = {}): Scene {
  const [first] = context.roots ?? [];
  const cwd = context.cwd ?? first ?? '/project';
  return {
    roots: context.roots ?? [cwd],
    cwd,
    home: context.home === undefined ? '/home/user' : context.home,
    platform: context.platform ?? 'linux',
    protectedPaths: context.protectedPaths ?? [],
  };
}

// The engine remembers its analysis per call object, so that judging one sample in every mode parses it once.
const engineCalls = new WeakMap<SampleCall, EngineCall>();

/** The engine's verdict of a sample in a session of that mode. */
export function judgeSample(scene: Scene, policy: CompiledPolicy, sample: SampleCall, mode: Mode): Verdict {
  return judgeCall(scene, policy, engineCallOf(scene, sample), mode);
}

/** The same when the agent's own hook reports another mode. */
export function judgeReported(
  scene: Scene,
  policy: CompiledPolicy,
  sample: SampleCall,
  modes: { readonly session: Mode; readonly reported: Mode },
): Verdict {
  return judgeCall(scene, policy, { ...engineCallOf(scene, sample), reportedMode: modes.reported }, modes.session);
}

function judgeCall(scene: Scene, policy: CompiledPolicy, call: EngineCall, mode: Mode): Verdict {
  const facts = factsOf(scene, mode);
  return evaluate(call, policy, { ...facts, resolvedPaths: evidenceOf(requiredPaths(call, policy, facts.session)) });
}

function engineCallOf(scene: Scene, sample: SampleCall): EngineCall {
  const known = engineCalls.get(sample);
  if (known !== undefined && known.cwd === scene.cwd) return known;
  const { tool, args } = sample;
  const call = { tool, args, problem: null, argsHash: '', cwd: scene.cwd, reportedMode: null };
  engineCalls.set(sample, call);
  return call;
}

/** Evidence that each path exists and is its own real path. */
export function evidenceOf(paths: readonly string[]): ResolvedPaths {
  return Object.fromEntries(paths.map((path) => [path, { real: path, exists: true }]));
}

function factsOf(scene: Scene, mode: Mode): Facts {
  return {
    now: '2000-01-01T00:00:00.000Z',
    session: {
      sessionId: 'analysis',
      cancelled: false,
      stopped: false,
      breakerOpen: false,
      heldBy: null,
      mode,
      silent: false,
      subagent: false,
      tools: null,
      rules: [],
      grants: [],
      roots: [...scene.roots],
      cwd: scene.cwd,
      home: scene.home,
    },
    resolvedPaths: {},
    protectedPaths: [...scene.protectedPaths],
    platform: scene.platform,
  };
}
