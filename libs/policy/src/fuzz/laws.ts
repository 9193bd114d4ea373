/** What must hold for every call and every policy, each as a function that says what is broken or null. */
import type { Mode, Verdict } from '@countersign/contracts';
import { judgeSample, sceneOf, STRICTNESS, type SampleCall, type Scene } from '../analysis/scene.js';
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import type { Wrapper } from './scripts.js';

/** A policy, and the same with one more deny. */
export interface Pair {
  readonly policy: CompiledPolicy;
  readonly tighter: CompiledPolicy;
  readonly added: string;
  readonly mode: Mode;
}

/** The names of the laws. */
export const LAWS = ['total', 'fast', 'deny-tightens', 'wrapped-deny', 'wrapped-allow'] as const;
export type Law = (typeof LAWS)[number];

/** The slowest that one judgement may be, in milliseconds. */
export const SLOWEST_MS = 50;

const SCENE: Scene = sceneOf({ roots: ['/work/app'], home: '/home/dev', protectedPaths: ['/var/lib/countersign'] });

/** Judges a call afresh: nothing that the engine remembers of the object is used. */
export function judge(policy: CompiledPolicy, mode: Mode, call: SampleCall): Verdict {
  return judgeSample(SCENE, policy, { ...call }, mode);
}

/** The engine gives a verdict of its own making, settled by one of its matches. */
export function brokenTotality(verdict: Verdict): string | null {
  if (verdict.ruleId === 'engine.failure') return 'the engine failed inside';
  return verdict.matches.some((match) => match.ruleId === verdict.ruleId) ? null : 'no match settles the verdict';
}

/** One more deny never loosens. */
export function brokenDeny(pair: Pair, call: SampleCall): string | null {
  const before = judge(pair.policy, pair.mode, call);
  const after = judge(pair.tighter, pair.mode, call);
  if (STRICTNESS[after.effect] >= STRICTNESS[before.effect]) return null;
  return `${said(before)}, but with deny \`${pair.added}\` added ${said(after)}`;
}

/** What is denied is not allowed in wrapping; a broken script that only the mode denies may become another, sound one. */
export function brokenWrappedDeny(pair: Pair, command: string, wrapper: Wrapper): string | null {
  if (wrapper.without?.test(command) === true) return null;
  const bare = judge(pair.policy, pair.mode, shellOf(command));
  if (bare.effect !== 'deny' || (isBroken(bare) && !deniesItself(bare))) return null;
  const wrapped = judge(pair.policy, pair.mode, shellOf(wrapper.wrap(command)));
  return wrapped.effect === 'allow' ? `${said(bare)}, but in ${wrapper.name} ${said(wrapped)}` : null;
}

/**
 * What is allowed is not denied in a wrapping that gives it nothing. A mode that turns questions into denials is no denial of its own:
 * a wrapping may always raise a question.
 */
export function brokenWrappedAllow(pair: Pair, command: string, wrapper: Wrapper): string | null {
  if (wrapper.adds === true) return null;
  const bare = judge(pair.policy, pair.mode, shellOf(command));
  if (bare.effect !== 'allow') return null;
  const wrapped = judge(pair.policy, pair.mode, shellOf(wrapper.wrap(command)));
  return deniesItself(wrapped) ? `${said(bare)}, but in ${wrapper.name} ${said(wrapped)}` : null;
}

function isBroken(verdict: Verdict): boolean {
  return verdict.matches.some((match) => match.ruleId === 'shell.syntax');
}

function deniesItself(verdict: Verdict): boolean {
  const denies = verdict.matches.filter((match) => match.effect === 'deny');
  return verdict.effect === 'deny' && denies.some(({ layer }) => layer !== 'mode' && layer !== 'default');
}

function shellOf(command: string): SampleCall {
  return { tool: 'Bash', args: { command } };
}

function said(verdict: Verdict): string {
  return `${verdict.effect} by ${verdict.ruleId}`;
}
