/** How a preset lets command lines run: by nature, part by part, by which rules. */
import { isPlainEdit } from '../commands/edits.js';
import { isReadOnly } from '../commands/read-only.js';
import type { ShellCall, ShellPlan } from '../shell/plan.js';
import type { ShellShape } from '../shell/shapes.js';

/** A test of one simple command in its plan. */
export type CommandTest = (call: ShellCall, plan: ShellPlan) => boolean;

/** The degrees of freedom. None of them loosens a deny or an ask. */
export interface CommandStyle {
  /** Commands that run unasked because they only read; null: none does. */
  readonly readOnly: CommandTest | null;
  /** Commands that count as edits of the files they name. */
  readonly plainEdit: CommandTest;
  /** A line with any of these is allowed by a rule for the whole tool or the whole line only, not part by part. */
  readonly unclear: ReadonlySet<ShellShape>;
  /** An exact rule allows only a line whose blanks are written as the rule's. */
  readonly exactBlanks: boolean;
  /** Programs whose own rule also allows what they run: `Bash(env *)`. */
  readonly deepWrappers: ReadonlySet<string>;
  /** Which allow rule also covers the files that a line is redirected to, inside the roots. */
  readonly redirects: 'exact_line' | 'whole_tool';
}

/** The style of `standard`. */
export const STANDARD_COMMANDS: CommandStyle = {
  readOnly: isReadOnly,
  plainEdit: isPlainEdit,
  unclear: new Set(),
  exactBlanks: false,
  deepWrappers: new Set(),
  redirects: 'exact_line',
};
