/** The sentence that says how an ask ended: the same on every card and in every late answer. */
import { showPlainly, type AskView } from '@countersign/contracts';

/** For an ask that is not open any more. */
export function endText(ask: AskView): string {
  const who = ask.resolvedBy === null ? '' : ` by ${showPlainly(ask.resolvedBy)}`;
  const via = ask.resolvedVia === null || ask.resolvedVia === 'system' ? '' : ` via ${ask.resolvedVia}`;
  const at = ask.resolvedAt === null ? '' : ` at ${ask.resolvedAt.slice(0, 19).replace('T', ' ')} UTC`;
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
