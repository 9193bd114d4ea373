/** The sentences that say how an ask ended, and that somebody said the contrary afterwards: the same wherever they stand. */
import { showPlainly, type AskView, type LateAnswer } from '@countersign/contracts';

/** For an ask that is not open any more. */
export function endText(ask: AskView): string {
  const who = ask.resolvedBy === null ? '' : ` by ${showPlainly(ask.resolvedBy)}`;
  const via = ask.resolvedVia === null || ask.resolvedVia === 'system' ? '' : ` via ${ask.resolvedVia}`;
  const at = ask.resolvedAt === null ? '' : ` at ${clockText(ask.resolvedAt)}`;
  switch (ask.status) {
    case 'approved':
      return `Approved${ask.editedArgs === null ? '' : ' with other arguments'}${who}${via}${at}.`;
    case 'rejected':
      return `Rejected${who}${via}${at}.`;
    case 'expired':
      return `Nobody answered in time: it expired${at}.`;
    case 'cancelled':
      return `No longer needed: it was withdrawn${who}${via}${at}.`;
    case 'open':
      return 'Still open.';
    default: {
      const never: never = ask.status;
      return `Ended (${String(never)}).`;
    }
  }
}

/** For whoever answered first, when somebody said the contrary afterwards. */
export function lateText(ask: AskView, { answer, by, via, at }: LateAnswer): string {
  const who = showPlainly(by ?? 'Somebody');
  return `${who} answered ${answer} via ${via} at ${clockText(at)}: too late, it changed nothing. It stands: ${endText(ask)}`;
}

/** `iso`: ISO-8601 UTC. */
function clockText(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`;
}
