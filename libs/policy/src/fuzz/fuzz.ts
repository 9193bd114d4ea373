/** Runs generated calls against the laws until it is told to stop. Chance and time come in from outside. */
import { PRESETS, type Mode, type Preset } from '@countersign/contracts';
import type { SampleCall } from '../analysis/scene.js';
import { compilePolicy } from '../policy/compile.js';
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import { parsePolicyDocument } from '../policy/parse-document.js';
import { makeCall, makePolicy } from './calls.js';
import { createChance, type Chance } from './chance.js';
import {
  brokenDeny,
  brokenTotality,
  brokenWrappedAllow,
  brokenWrappedDeny,
  judge,
  SLOWEST_MS,
  type Law,
  type Pair,
} from './laws.js';
import { minimise } from './minimise.js';
import { makePlain, makeScript, mutate, WRAPPERS } from './scripts.js';
import { RULES } from './vocabulary.js';

/** `seed` decides everything but how long it runs; `now` gives milliseconds, best of the process's own time, which a busy machine does not lengthen; `goOn` is asked between rounds, with the rounds done. */
export interface FuzzOptions {
  readonly seed: number;
  readonly now: () => number;
  readonly goOn: (rounds: number) => boolean;
}

/** A broken law with the smallest input that still breaks it. `seed` is that of the round. */
export interface FuzzFailure {
  readonly law: Law;
  readonly seed: number;
  readonly preset: Preset;
  readonly mode: Mode;
  readonly policy: {
    readonly deny: readonly unknown[];
    readonly ask: readonly unknown[];
    readonly allow: readonly unknown[];
  };
  readonly input: SampleCall;
  readonly message: string;
}

/** What a run did. `worstMs` is the slowest single judgement, taken as the fastest of repeated ones where it was slow. */
export interface FuzzReport {
  readonly seed: number;
  readonly rounds: number;
  readonly judged: number;
  readonly effects: { allow: number; ask: number; deny: number };
  readonly worstMs: number;
  readonly worstInput: SampleCall | null;
  readonly failures: readonly FuzzFailure[];
}

interface Run {
  readonly now: () => number;
  readonly effects: { allow: number; ask: number; deny: number };
  readonly failures: FuzzFailure[];
  judged: number;
  worstMs: number;
  worstInput: SampleCall | null;
}

const CALLS_A_ROUND = 40;
const MOST_FAILURES = 20;

/** Runs rounds, each with a policy of its own, and stops early at 20 failures. */
export function fuzz({ seed, now, goOn }: FuzzOptions): FuzzReport {
  const effects = { allow: 0, ask: 0, deny: 0 };
  const run: Run = { now, effects, failures: [], judged: 0, worstMs: 0, worstInput: null };
  let rounds = 0;
  for (; goOn(rounds) && run.failures.length < MOST_FAILURES; rounds += 1) fuzzRound(run, seed + rounds);
  const { failures, judged, worstMs, worstInput } = run;
  return { seed, rounds, judged, effects, worstMs, worstInput, failures };
}

function fuzzRound(run: Run, seed: number): void {
  const chance = createChance(seed);
  const preset = chance.often(0.6) ? 'standard' : chance.pick(PRESETS);
  const pair = makePair(chance, preset);
  if (pair === null) return;
  const fail = (law: Law, input: SampleCall, message: string): void => {
    const { deny, ask, allow } = pair.policy.document;
    run.failures.push({ law, seed, preset, mode: pair.mode, policy: { deny, ask, allow }, input, message });
  };
  for (let times = 0; times < CALLS_A_ROUND; times += 1) {
    tryCall(run, pair, makeCall(chance), fail);
    if (WRAP_PRESETS.has(preset)) tryWrapping(run, pair, chance, fail);
  }
}

/** The others compare a command line with lists of whole texts by their own documents, so that a wrapping is another line to them. */
const WRAP_PRESETS: ReadonlySet<Preset> = new Set(['standard', 'claude-code']);

type Fail = (law: Law, input: SampleCall, message: string) => void;

/** A policy with and without one more deny; null when the preset does not take it. */
function makePair(chance: Chance, preset: Preset): Pair | null {
  const input = makePolicy(chance, preset);
  const added = chance.pick(RULES);
  const policy = compiled(input) ?? compiled({ ...input, allow: [] });
  if (policy === null) return null;
  const tighter = compiled({ ...input, allow: policy.document.allow, deny: [...input.deny, added] });
  const [first = 'default', ...others] = policy.preset.legalModes;
  return tighter === null ? null : { policy, tighter, added, mode: chance.pick([first, ...others]) };
}

function compiled(input: unknown): CompiledPolicy | null {
  const parsed = parsePolicyDocument(input);
  const result = parsed.ok ? compilePolicy(parsed.document) : parsed;
  return result.ok && 'policy' in result ? result.policy : null;
}

function tryCall(run: Run, pair: Pair, call: SampleCall, fail: Fail): void {
  const start = run.now();
  const verdict = judge(pair.policy, pair.mode, call);
  const elapsed = run.now() - start;
  run.judged += 1;
  run.effects[verdict.effect] += 1;
  if (elapsed > run.worstMs) measureAgain(run, pair, call, fail);
  const broken = brokenTotality(verdict);
  if (broken !== null)
    fail(
      'total',
      smaller(call, (one) => brokenTotality(judge(pair.policy, pair.mode, one)) !== null),
      broken,
    );
  const looser = brokenDeny(pair, call);
  if (looser !== null)
    fail(
      'deny-tightens',
      smaller(call, (one) => brokenDeny(pair, one) !== null),
      looser,
    );
}

/** A busy machine makes any call slow once: what counts is the fastest of four. */
function measureAgain(run: Run, pair: Pair, call: SampleCall, fail: Fail): void {
  const fastest = fastestOf(run, pair, call);
  if (fastest <= run.worstMs) return;
  run.worstMs = fastest;
  run.worstInput = call;
  if (fastest <= SLOWEST_MS) return;
  const input = smaller(call, (one) => fastestOf(run, pair, one) > SLOWEST_MS, TRIES_WHEN_SLOW);
  fail('fast', input, `one judgement took ${fastest.toFixed(1)} ms`);
}

/** Each try costs what is slow several times over. */
const TRIES_WHEN_SLOW = 60;

function fastestOf(run: Run, pair: Pair, call: SampleCall): number {
  let fastest = Infinity;
  for (let times = 0; times < 4; times += 1) {
    const start = run.now();
    judge(pair.policy, pair.mode, call);
    fastest = Math.min(fastest, run.now() - start);
  }
  return fastest;
}

function tryWrapping(run: Run, pair: Pair, chance: Chance, fail: Fail): void {
  const wrapper = chance.pick(WRAPPERS);
  const script = wrapper.simple === true ? makePlain(chance) : makeScript(chance);
  const command = wrapper.simple !== true && chance.often(0.3) ? mutate(chance, script) : script;
  run.judged += 2;
  for (const [law, broken] of [
    ['wrapped-deny', brokenWrappedDeny],
    ['wrapped-allow', brokenWrappedAllow],
  ] as const) {
    const message = broken(pair, command, wrapper);
    if (message === null) continue;
    const smallest = minimise(command, (text) => text.trim() !== '' && broken(pair, text, wrapper) !== null);
    fail(law, { tool: 'Bash', args: { command: smallest, wrapped: wrapper.wrap(smallest) } }, message);
  }
}

/** A call whose texts are made small one by one. */
function smaller(call: SampleCall, fails: (call: SampleCall) => boolean, mostTries?: number): SampleCall {
  let smallest = call;
  for (const [name, value] of Object.entries(call.args)) {
    if (typeof value !== 'string') continue;
    const having = (text: string): SampleCall => ({ ...smallest, args: { ...smallest.args, [name]: text } });
    smallest = having(minimise(value, (text) => fails(having(text)), mostTries));
  }
  return smallest;
}
