/** Whether a hook that only observes was told, or is to be told again. */
import type { HookRun } from '@countersign/contracts';

/** How old a note may be that is told again and again to a service which cannot be reached. */
const PATIENCE_MS = 15 * 60_000;

/**
 * `ageMs`: of what the hook is told. A hook that was not even tried, since it is left alone for a while or has too much to do,
 * is told later, however old the note. INVARIANT: an age that is no number ends the patience.
 */
export function wasTold({ failure }: Pick<HookRun, 'failure'>, ageMs: number): boolean {
  switch (failure) {
    case 'circuit_open':
    case 'busy':
      return false;
    case 'unreachable':
    case 'timeout':
      return !(ageMs < PATIENCE_MS);
    case 'error':
    case 'refused':
    case 'malformed':
    case null:
      return true;
    default: {
      const never: never = failure;
      throw new Error(`unknown failure of a hook: ${String(never)}`);
    }
  }
}
