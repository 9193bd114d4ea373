/** The hooks that rows describe, as in-process plug-ins of the installation; each hears only of its row's policy. */
import { HOOK_DEFAULTS, type HookCall, type HookPlugin, type RegisteredHook } from '@countersign/hooks';
import type { PreToolUseAnswer } from '@countersign/contracts';
import { sequenceRowSchema, type SequenceRow } from './sequence-row.js';

type HookWish = SequenceRow['hooks'][number];

/** Every hook of every row, in the rows' own order. */
export function hooksOf(rows: readonly unknown[]): RegisteredHook[] {
  return rows.flatMap((row) => {
    const parsed = sequenceRowSchema.parse(row);
    return pluginsOf(parsed).map((plugin, place) => ({
      kind: 'plugin' as const,
      plugin,
      terms: { ...HOOK_DEFAULTS, name: `${parsed.id}-${place + 1}`, policies: [parsed.id] },
    }));
  });
}

function pluginsOf(row: SequenceRow): HookPlugin[] {
  const answering = row.steps.flatMap((step) => ('call' in step ? permissionHooks(step.call) : []));
  return [...row.hooks.map(pluginOf), ...answering, ...(isWatched(row) ? [WATCHER] : [])];
}

/** Rows that only want to see that hooks are called name none: they get one that changes nothing. */
function isWatched({ steps }: SequenceRow): boolean {
  return steps.some(({ expected, ...step }) => {
    const looks = 'check' in step && step.check?.what === 'hookEvents';
    return looks || 'hookCalled' in expected;
  });
}

const nothing = (): void => undefined;
const WATCHER: HookPlugin = {
  name: 'watcher',
  preToolUse: () => ({ action: 'continue' }),
  postToolUse: () => ({ action: 'continue' }),
  onPermissionDecision: nothing,
  onSessionStart: nothing,
  onStepComplete: nothing,
  onSessionStop: nothing,
  onSubagentStart: nothing,
  onSubagentStop: nothing,
  onPreCompact: nothing,
  onPostCompact: nothing,
};

function pluginOf(wish: HookWish): HookPlugin {
  if (wish.on === 'post') return { name: 'after', postToolUse: ({ output }) => replaced(output, wish['replace']) };
  return { name: wish.action, preToolUse: () => answerOf(wish) };
}

function answerOf(wish: HookWish): PreToolUseAnswer {
  const context = wish['additional_context'];
  const additionalContext = typeof context === 'string' ? { additionalContext: context } : {};
  switch (wish.action) {
    case 'continue':
      return { action: 'continue', ...additionalContext };
    case 'block':
      return { action: 'block', reason: String(wish['reason']) };
    case 'mutate':
      return {
        action: 'mutate',
        updatedArgs: wish['updated_args'] as Record<string, unknown>,
        ...additionalContext,
      };
    case 'permission_required':
      return { action: 'require_permission', reason: `\`${String(wish['permission'])}\` is wanted` };
    default:
      throw new Error(`no hook answers \`${wish.action}\``);
  }
}

function replaced(output: string | null, replace: unknown) {
  const [from, to] = replace as [string, string];
  return { action: 'mutate_output' as const, updatedOutput: (output ?? '').replaceAll(from, to) };
}

/** Hooks that a single call of a row brings along: they answer for that call alone. */
function permissionHooks({ id, context }: { id: string; context?: { hooks?: HookWish[] | undefined } | undefined }) {
  return (context?.hooks ?? []).map(({ on, action }): HookPlugin => {
    if (on !== 'PermissionRequest' || action !== 'allow') throw new Error(`no hook of a call is \`${on} ${action}\``);
    const answer = ({ toolUseId }: HookCall) => ({ action: toolUseId === id ? 'allow' : 'continue' }) as const;
    return { name: `for-${id}`, permissionRequest: answer };
  });
}
