/** A command as it may be stored: free text redacted; a secret where it cannot be replaced refuses the command. */
import type { SessionCommand, TenantCommand } from '@countersign/approval';
import type { Redactor } from '@countersign/redaction';

export type CleanCommand<C> =
  | { readonly ok: true; readonly command: C }
  /** What holds the secret, in words. */
  | { readonly ok: false; readonly message: string };

/**
 * Replacing a secret in a rule, a pattern or a folder would change what it matches, so those are refused; everything else that
 * somebody wrote is redacted.
 */
export function redactCommand(command: SessionCommand, redactor: Redactor): CleanCommand<SessionCommand> {
  switch (command.type) {
    case 'OpenSession': {
      const { labels, ...opening } = command.opening;
      if (isDirty(opening, redactor)) return refused('an agent, a folder or a tool of a session');
      const clean = { ...command, opening: { ...opening, labels: redactor.json(labels) as typeof labels } };
      return { ok: true, command: clean };
    }
    case 'ChangeRules':
      return isDirty(command.added, redactor) ? refused('a rule') : { ok: true, command };
    case 'AnswerAsk':
      if (command.pattern !== undefined && isDirty(command.pattern, redactor)) return refused('a pattern');
      return { ok: true, command: redactor.json(command) as SessionCommand };
    default:
      return { ok: true, command: redactor.json(command) as SessionCommand };
  }
}

/** The same for what holds for a whole tenant. */
export function redactTenantCommand(command: TenantCommand, redactor: Redactor): CleanCommand<TenantCommand> {
  if (command.type === 'CreateGrant') {
    return isDirty(command.grant, redactor) ? refused('a pattern') : { ok: true, command };
  }
  return { ok: true, command: redactor.json(command) as TenantCommand };
}

/** What was redacted elsewhere is no better: a pattern with a marker in it matches something, but not what was meant. */
const HOLDS_MARKER = /\[redacted:/;

function isDirty(value: unknown, redactor: Redactor): boolean {
  return redactor.json(value) !== value || HOLDS_MARKER.test(JSON.stringify(value) ?? '');
}

function refused(what: string): { ok: false; message: string } {
  return { ok: false, message: `${what} must not hold a secret` };
}
