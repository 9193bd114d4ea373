/** Where sample calls are judged: an orderly machine on which every path exists and is no link. */
import type { Effect, Facts, Mode, ResolvedPaths, Verdict } from '@countersign/contracts';
import type { EngineCall } from '../engine/analysis.js';
import { evaluate } from '../engine/evaluate.js';
import { requiredPaths } from '../engine/required-paths.js';
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import type { PresetData } from '../policy/preset.js';

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
  readonly roots: string[];
  readonly cwd: string;
  readonly home: string | null;
  readonly platform: string;
  readonly protectedPaths: string[];
}

/** A call as data: a tool and its arguments. */
export interface SampleCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** How strict an effect is. */
export const STRICTNESS: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

/** The modes of a preset that may differ: one of each entry of its table. */
export function distinctModes(preset: PresetData): Mode[] {
  const seen = new Set<unknown>();
  return preset.legalModes.filter((mode) => {
    const entry = preset.modes[mode];
    return !seen.has(entry) && seen.add(entry);
  });
}

/** Fills in a context. */
export function sceneOf(context: PolicyContext = {}): Scene {
  const [first] = context.roots ?? [];
  const cwd = context.cwd ?? first ?? '/project';
  return {
    roots: [...(context.roots ?? [cwd])],
    cwd,
    home: context.home === undefined ? '/home/user' : context.home,
    platform: context.platform ?? 'linux',
    protectedPaths: [...(context.protectedPaths ?? [])],
  };
}

/** What a sample is to the engine when it is judged by that policy. */
interface KnownCall {
  readonly policy: CompiledPolicy;
  readonly call: EngineCall;
}

// The engine remembers per call object what it read for the last policy. So a sample has a call of its own for each policy that judged
// it last, and is read once by each while a few policies take turns over every mode.
const engineCalls = new WeakMap<SampleCall, KnownCall[]>();
const MOST_TURNS = 3;

/** The engine's verdict of a sample in a session of that mode. */
export function judgeSample(scene: Scene, policy: CompiledPolicy, sample: SampleCall, mode: Mode): Verdict {
  return judgeCall(scene, policy, engineCallOf(scene, policy, sample), mode);
}

/** The same when the agent's own hook reports another mode. */
export function judgeReported(
  scene: Scene,
  policy: CompiledPolicy,
  sample: SampleCall,
  modes: { readonly session: Mode; readonly reported: Mode },
): Verdict {
  return judgeCall(
    scene,
    policy,
    { ...engineCallOf(scene, policy, sample), reportedMode: modes.reported },
    modes.session,
  );
}

function judgeCall(scene: Scene, policy: CompiledPolicy, call: EngineCall, mode: Mode): Verdict {
  const facts = factsOf(scene, mode);
  return evaluate(call, policy, { ...facts, resolvedPaths: evidenceFor(call, policy, facts) });
}

const evidences = new WeakMap<EngineCall, { policy: CompiledPolicy; roots: unknown; paths: ResolvedPaths }>();

/** The mode changes nothing in which paths are looked at, so that the evidence of a call is gathered once for all of them. */
function evidenceFor(call: EngineCall, policy: CompiledPolicy, { session }: Facts): ResolvedPaths {
  const known = evidences.get(call);
  if (known !== undefined && known.policy === policy && known.roots === session.roots) return known.paths;
  const paths = evidenceOf(requiredPaths(call, policy, session));
  evidences.set(call, { policy, roots: session.roots, paths });
  return paths;
}

function engineCallOf(scene: Scene, policy: CompiledPolicy, sample: SampleCall): EngineCall {
  let known = engineCalls.get(sample);
  if (known === undefined) {
    known = [];
    engineCalls.set(sample, known);
  }
  for (const one of known) if (one.policy === policy && one.call.cwd === scene.cwd) return one.call;
  const { tool, args } = sample;
  const call = { tool, args, problem: null, argsHash: '', cwd: scene.cwd, reportedMode: null };
  known.unshift({ policy, call });
  if (known.length > MOST_TURNS) known.pop();
  return call;
}

/** Evidence that each path exists and is its own real path. */
export function evidenceOf(paths: readonly string[]): ResolvedPaths {
  return Object.fromEntries(paths.map((path) => [path, { real: path, exists: true }]));
}

const factsByMode = new WeakMap<Scene, Map<Mode, Facts>>();

function factsOf(scene: Scene, mode: Mode): Facts {
  let byMode = factsByMode.get(scene);
  if (byMode === undefined) {
    byMode = new Map();
    factsByMode.set(scene, byMode);
  }
  let facts = byMode.get(mode);
  if (facts === undefined) {
    facts = makeFacts(scene, mode);
    byMode.set(mode, facts);
  }
  return facts;
}

function makeFacts(scene: Scene, mode: Mode): Facts {
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
      roots: scene.roots,
      cwd: scene.cwd,
      home: scene.home,
    },
    resolvedPaths: {},
    protectedPaths: scene.protectedPaths,
    platform: scene.platform,
  };
}
