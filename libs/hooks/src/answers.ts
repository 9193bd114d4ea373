/** From what a hook said, or failed to say, to what the chain goes by. Pure: one table of what follows a failure. */
import {
  permissionRequestAnswerSchema,
  postToolUseAnswerSchema,
  preToolUseAnswerSchema,
  type HookResult,
  type PermissionRequestAnswer,
  type PostToolUseAnswer,
  type PreToolUseAnswer,
} from '@countersign/contracts';
import { HookFailed } from './failure.js';
import type { HookTerms } from './spec.js';

/** The moments that wait for an answer. */
export type AnsweredMoment = 'PreToolUse' | 'PermissionRequest' | 'PostToolUse';

export interface AnswerOf {
  readonly PreToolUse: PreToolUseAnswer;
  readonly PermissionRequest: PermissionRequestAnswer;
  readonly PostToolUse: PostToolUseAnswer;
}

const SCHEMAS = {
  PreToolUse: preToolUseAnswerSchema,
  PermissionRequest: permissionRequestAnswerSchema,
  PostToolUse: postToolUseAnswerSchema,
} as const;

/** The answer, checked. INVARIANT: what is not of the expected form is a failure, never taken for "continue". */
export function readAnswer<M extends AnsweredMoment>(moment: M, said: unknown): AnswerOf[M] {
  const parsed = SCHEMAS[moment].safeParse(asJson(said));
  if (parsed.success) return parsed.data as AnswerOf[M];
  const place = parsed.error.issues[0]?.path.map(String).join('.') ?? '';
  const where = place === '' ? '' : `, at \`${place}\``;
  throw new HookFailed('malformed', `its answer is none that ${moment} knows${where}`);
}

/** A plug-in may return anything; what JSON cannot hold is no answer. */
function asJson(said: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(said) ?? 'null') as unknown;
  } catch {
    throw new HookFailed('malformed', 'its answer has no JSON form');
  }
}

/** What follows before a tool when a hook failed. */
export function afterFailure(terms: Pick<HookTerms, 'name' | 'onFailure'>, failure: HookFailed): PreToolUseAnswer {
  const reason = `the hook \`${terms.name}\` failed: ${failure.message}`;
  switch (terms.onFailure) {
    case 'ask':
      return { action: 'require_permission', reason };
    case 'deny':
      return { action: 'block', reason };
    case 'continue':
      return { action: 'continue' };
    default: {
      const never: never = terms.onFailure;
      return { action: 'block', reason: `${reason} (${String(never)})` };
    }
  }
}

/** As the engine is told; rewritten arguments travel beside it. */
export function factOf(
  on: 'PreToolUse' | 'PermissionRequest',
  { action, ...said }: PreToolUseAnswer | PermissionRequestAnswer,
): HookResult {
  return { on, action, reason: 'reason' in said ? (said.reason ?? null) : null };
}
