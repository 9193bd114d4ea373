/** Asks as lines of a terminal: everything that came from an agent is shown plainly, so that no text moves the cursor or hides. */
import { askCard, type AskCard } from '@countersign/approval';
import { showPlainly, type AskView } from '@countersign/contracts';

const TERMINAL_CARD = { section: 20_000, sections: 60 } as const;
/** Characters of the arguments on one line. */
const GLANCE = 100;

export function terminalCard(ask: AskView): AskCard {
  return askCard(ask, TERMINAL_CARD);
}

/** One line: id, risk, what is asked by whom, and the beginning of the arguments. */
export function askLine(ask: AskView): string {
  const card = terminalCard(ask);
  const what = card.sections[0]?.text.replaceAll('\n', ' ') ?? '';
  const glance = what.length > GLANCE ? `${[...what].slice(0, GLANCE).join('')} …` : what;
  const marks = [ask.risk, ...(ask.frozen ? ['frozen'] : []), ...(ask.status === 'open' ? [] : [ask.status])];
  return `${ask.id}  [${marks.join(', ')}]  ${card.title}: ${glance}`;
}

/** The whole card. */
export function askText(ask: AskView): string {
  const { text } = terminalCard(ask);
  return ask.status === 'open' ? text : `${text}\n${endLine(endOf(ask))}`;
}

/** How an ask ended. */
export function endLine({ status, resolvedBy, resolvedVia, resolvedAt, edited = false }: EndOfAsk): string {
  const by = resolvedBy === null ? '' : ` by ${showPlainly(resolvedBy)}`;
  const via = resolvedVia === null ? '' : ` via ${showPlainly(resolvedVia)}`;
  const how = edited ? ' with other arguments' : '';
  return `${status}${how}${by}${via}${resolvedAt === null ? '' : ` at ${resolvedAt}`}`;
}

export type EndOfAsk = Pick<AskView, 'resolvedBy' | 'resolvedVia' | 'resolvedAt'> & {
  readonly status: string;
  /** Approved with other arguments than it asked about. */
  readonly edited?: boolean;
};

/** As `endLine` takes it. */
export function endOf(ask: AskView): EndOfAsk {
  return { ...ask, edited: ask.editedArgs !== null };
}

/** A refusal, with who was first where the door says so. */
export function refusalLine(message: string, details: Readonly<Record<string, unknown>>): string {
  const text = (name: string): string | null => (typeof details[name] === 'string' ? details[name] : null);
  const status = text('status');
  if (status === null) return showPlainly(message);
  const end = { status, resolvedBy: text('by'), resolvedVia: text('via'), resolvedAt: text('at') };
  return `${showPlainly(message)}: ${endLine(end)}`;
}
