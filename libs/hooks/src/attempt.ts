/** One run of one hook: asked within its limits, its answer checked, and what is recorded of it. */
import type { HookMoment, HookRun } from '@countersign/contracts';
import { readAnswer, type AnsweredMoment, type AnswerOf } from './answers.js';
import { HookFailed } from './failure.js';
import type { GuardedHook } from './guarded.js';
import type { HttpHook } from './http-hook.js';
import { MEMBERS } from './plugin.js';
import type { RegisteredHook } from './spec.js';

/** A hook with its limits; `http` null: it is a plug-in. */
export interface Runnable {
  readonly hook: RegisteredHook;
  readonly guard: GuardedHook;
  readonly http: HttpHook | null;
}

/** How it went: an answer or a failure. */
export type Attempt<A> = { readonly elapsedMs: number } & (
  { readonly answer: A; readonly failure: null } | { readonly answer: null; readonly failure: HookFailed }
);

/** The answer of a plug-in's member or of an HTTP hook, checked. A mistake in it is a failure like every other. */
export function ask<M extends AnsweredMoment>(
  one: Runnable,
  moment: M,
  context: object,
  signal: AbortSignal,
): Promise<Attempt<AnswerOf[M]>> {
  return attempt(one, async (inTime) => readAnswer(moment, await say(one, moment, context, inTime)), signal);
}

/** The same for a hook that only observes: whatever it says is not looked at. */
export function tell(one: Runnable, moment: HookMoment, context: object, signal: AbortSignal): Promise<Attempt<true>> {
  return attempt(
    one,
    async (inTime) => {
      await say(one, moment, context, inTime).catch(unlessMalformed);
      return true as const;
    },
    signal,
  );
}

function unlessMalformed(error: unknown): void {
  if (!(error instanceof HookFailed && error.failure === 'malformed')) throw error;
}

async function attempt<A>(
  { guard }: Runnable,
  work: (signal: AbortSignal) => Promise<A>,
  signal: AbortSignal,
): Promise<Attempt<A>> {
  const since = performance.now();
  const elapsed = (): number => Math.round((performance.now() - since) * 1_000) / 1_000;
  try {
    const answer = await guard.run(work, signal);
    return { answer, failure: null, elapsedMs: elapsed() };
  } catch (error) {
    const failure = error instanceof HookFailed ? error : new HookFailed('error', 'it threw an error');
    return { answer: null, failure, elapsedMs: elapsed() };
  }
}

async function say(
  { hook, http }: Runnable,
  moment: HookMoment,
  context: object,
  signal: AbortSignal,
): Promise<unknown> {
  if (hook.kind === 'http') return http?.ask(moment, { hook: hook.terms.name, data: context }, signal);
  const member = hook.plugin[MEMBERS[moment]] as ((context: object, signal: AbortSignal) => unknown) | undefined;
  // A copy: a plug-in that writes to what it was given changes nothing for anybody else.
  return member?.call(hook.plugin, structuredClone(context), signal);
}

const MAX_REASON = 2_000;

/** What is recorded. `action`: what followed, also from a failure; a failure gives its own reason. */
export function runOf(
  one: Runnable,
  on: HookMoment,
  made: Attempt<unknown>,
  more: Pick<HookRun, 'callId' | 'action' | 'reason'>,
): HookRun {
  const { failure, elapsedMs } = made;
  const { name, observe: observed } = one.hook.terms;
  const reason = failure === null ? more.reason : failure.message.slice(0, MAX_REASON);
  return { hook: name, on, ...more, reason, failure: failure?.failure ?? null, elapsedMs, observed };
}
