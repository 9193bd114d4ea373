/** The hooks of an installation: run in the order of registration around each call, and told of what happened to sessions. */
import { HOOK_MOMENTS, type HookMoment, type HookRun } from '@countersign/contracts';
import { runOf, tell, type Runnable } from './attempt.js';
import { runAfter, runBefore, runPermission, type SaidAfter, type SaidBefore } from './chains.js';
import { guardHook } from './guarded.js';
import { createHttpHook } from './http-hook.js';
import { hears, hooksFor, type HookPlace } from './matching.js';
import type { HookCall, HookNote, HookResultOfTool, ObservedMoment } from './plugin.js';
import type { RegisteredHook } from './spec.js';

/** All hooks of one call together have this long; a gateway takes a call for lost after 10 s. */
const CHAIN_MS = 8_000;

const ANSWERING: readonly HookMoment[] = ['PreToolUse', 'PermissionRequest', 'PostToolUse'];
const OBSERVED = HOOK_MOMENTS.filter((moment) => !ANSWERING.includes(moment));

export interface Hooks {
  /** Names of the hooks that hear of moments which are only observed. */
  readonly observers: readonly string[];
  /** True when some hook hears of this moment here. */
  hear(moment: HookMoment, place: HookPlace): boolean;
  /** PreToolUse hooks until the first block, then PermissionRequest hooks until the first answer. Never throws. */
  before(call: HookCall): Promise<SaidBefore>;
  /** PostToolUse hooks. Never throws. */
  after(call: HookCall & HookResultOfTool): Promise<SaidAfter>;
  /** Tells one that observes; null: it does not hear of this moment here. Never throws; the run says how it went. */
  tell(observer: string, told: Told): Promise<HookRun | null>;
}

/** What an observer is told of, and where it happened. */
export interface Told {
  readonly moment: ObservedMoment;
  readonly note: HookNote;
  readonly place: HookPlace;
}

/** Hooks that are ready to run. */
export function createHooks(registered: readonly RegisteredHook[]): Hooks {
  const runnables = new Map<RegisteredHook, Runnable>(registered.map((hook) => [hook, makeRunnable(hook)]));
  const at = (moment: HookMoment, place: HookPlace): Runnable[] =>
    hooksFor(registered, moment, place).flatMap((hook) => runnables.get(hook) ?? []);
  return {
    observers: registered
      .filter((hook) => OBSERVED.some((moment) => hears(hook, moment)))
      .map(({ terms }) => terms.name),
    hear: (moment, place) => hooksFor(registered, moment, place).length > 0,
    before: async (call) => {
      const signal = AbortSignal.timeout(CHAIN_MS);
      const said = await runBefore(at('PreToolUse', call), call, signal);
      if (said.results.some(({ action }) => action === 'block')) return said;
      const final = { ...call, args: said.updatedArgs ?? call.args };
      const asked = await runPermission(at('PermissionRequest', call), final, signal);
      return { ...said, results: [...said.results, ...asked.results], runs: [...said.runs, ...asked.runs] };
    },
    after: (call) => runAfter(at('PostToolUse', call), call, AbortSignal.timeout(CHAIN_MS)),
    tell: async (observer, { moment, note, place }) => {
      const one = at(moment, place).find(({ hook }) => hook.terms.name === observer);
      if (one === undefined) return null;
      const made = await tell(one, moment, note, AbortSignal.timeout(CHAIN_MS));
      return runOf(one, moment, made, { callId: note.callId, action: 'observed', reason: null });
    },
  };
}

function makeRunnable(hook: RegisteredHook): Runnable {
  return { hook, guard: guardHook(hook.terms), http: hook.kind === 'http' ? createHttpHook(hook.http) : null };
}
