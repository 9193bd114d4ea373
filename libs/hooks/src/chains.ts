/** The chains of hooks around one call: their order, when they end, and what is left of each answer. */
import type {
  HookResult,
  HookRun,
  PermissionRequestAnswer,
  PostToolUseAnswer,
  PreToolUseAnswer,
} from '@countersign/contracts';
import { afterFailure, factOf } from './answers.js';
import { ask, runOf, type Attempt, type Runnable } from './attempt.js';
import type { HookCall, HookResultOfTool } from './plugin.js';

const MAX_CONTEXT = 10_000;
const CONTINUE: PermissionRequestAnswer = { action: 'continue' };

/** What the hooks said before a call. `updatedArgs` null: they left the arguments as they were. */
export interface SaidBefore {
  readonly results: readonly HookResult[];
  readonly runs: readonly HookRun[];
  readonly updatedArgs: Readonly<Record<string, unknown>> | null;
  readonly additionalContext: string | null;
}

/** What the hooks made of a result. `output` as the last of them left it. */
export interface SaidAfter {
  readonly output: string | null;
  readonly runs: readonly HookRun[];
}

/** The seed's chain: the first block ends it, the last rewrite wins, every added context is kept, a later continue takes nothing back. */
export async function runBefore(hooks: readonly Runnable[], call: HookCall, signal: AbortSignal): Promise<SaidBefore> {
  const results: HookResult[] = [];
  const runs: HookRun[] = [];
  const contexts: string[] = [];
  let updatedArgs: SaidBefore['updatedArgs'] = null;
  for (const one of hooks) {
    const made: Attempt<PreToolUseAnswer> = await ask(
      one,
      'PreToolUse',
      { ...call, args: updatedArgs ?? call.args },
      signal,
    );
    const answer: PreToolUseAnswer = made.failure === null ? made.answer : afterFailure(one.hook.terms, made.failure);
    const fact = factOf('PreToolUse', answer);
    runs.push(runOf(one, 'PreToolUse', made, { callId: call.callId, action: answer.action, reason: fact.reason }));
    if (one.hook.terms.observe) continue;
    results.push(fact);
    if (answer.action === 'block') break;
    if (answer.action === 'mutate') updatedArgs = answer.updatedArgs;
    contexts.push(answer.additionalContext ?? '');
  }
  const additionalContext = contexts
    .filter((text) => text !== '')
    .join('\n')
    .slice(0, MAX_CONTEXT);
  return { results, runs, updatedArgs, additionalContext: additionalContext === '' ? null : additionalContext };
}

/** Until the first answer. A PermissionRequest hook that fails has not answered: the question goes on to people. */
export async function runPermission(
  hooks: readonly Runnable[],
  call: HookCall,
  signal: AbortSignal,
): Promise<Pick<SaidBefore, 'results' | 'runs'>> {
  const results: HookResult[] = [];
  const runs: HookRun[] = [];
  for (const one of hooks) {
    const made = await ask(one, 'PermissionRequest', call, signal);
    const answer = made.answer ?? CONTINUE;
    const fact = factOf('PermissionRequest', answer);
    runs.push(
      runOf(one, 'PermissionRequest', made, { callId: call.callId, action: answer.action, reason: fact.reason }),
    );
    if (one.hook.terms.observe) continue;
    results.push(fact);
    if (answer.action !== 'continue') break;
  }
  return { results, runs };
}

/** All of them, each with the output that the one before left. */
export async function runAfter(
  hooks: readonly Runnable[],
  call: HookCall & HookResultOfTool,
  signal: AbortSignal,
): Promise<SaidAfter> {
  const runs: HookRun[] = [];
  let { output } = call;
  for (const one of hooks) {
    const made: Attempt<PostToolUseAnswer> = await ask(one, 'PostToolUse', { ...call, output }, signal);
    const next: Rewritten = rewritten(one, made, output);
    runs.push(runOf(one, 'PostToolUse', made, { callId: call.callId, action: next.action, reason: null }));
    output = next.output;
  }
  return { output, runs };
}

interface Rewritten {
  readonly action: PostToolUseAnswer['action'] | 'withhold';
  readonly output: string | null;
}

/** INVARIANT: a failed output hook that must not be skipped withholds the output: it might have taken something out. */
function rewritten({ hook: { terms } }: Runnable, made: Attempt<PostToolUseAnswer>, output: string | null): Rewritten {
  if (made.failure !== null) {
    const withheld = terms.onFailure !== 'continue' && output !== null && !terms.observe;
    if (!withheld) return { action: 'continue', output };
    return { action: 'withhold', output: `[withheld: the output hook \`${terms.name}\` failed]` };
  }
  const { answer } = made;
  if (answer.action === 'continue') return { action: 'continue', output };
  return { action: answer.action, output: output === null || terms.observe ? output : answer.updatedOutput };
}
