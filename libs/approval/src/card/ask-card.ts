/** An ask as text for people: the one wording of every channel, so that what was shown can be hashed and compared with what runs. */
import type { AskView, Risk } from '@countersign/contracts';
import { showPlainly } from '@countersign/contracts';
import { fitText } from './fit.js';
import { plain, shownArguments } from './shown-arguments.js';

/** What a channel can carry, in UTF-16 units. */
export interface CardLimits {
  /** Longest text of one section. */
  readonly section: number;
  /** Most sections on one card, at least 8. */
  readonly sections: number;
}

/** `code`: shown letter by letter, in a fixed-width font where there is one. `claim`: what the agent says of itself. */
export type SectionKind = 'fact' | 'code' | 'claim';

export interface CardSection {
  readonly kind: SectionKind;
  readonly label: string;
  readonly text: string;
}

/**
 * `approvable` false: something of what would run is not shown, so this card may reject but not approve. `text` is the whole card
 * as plain text: its hash says what was shown.
 */
export interface AskCard {
  readonly askId: string;
  readonly version: number;
  readonly title: string;
  readonly risk: Risk;
  readonly sections: readonly CardSection[];
  readonly approvable: boolean;
  readonly text: string;
}

/** Longest one-line fact. */
const FACT = 400;
/** Sections that every card has beside the arguments. */
const FIXED_SECTIONS = 7;
/** Titles stand in headings, which the narrowest channel cuts at 150. */
const NAME = 60;

/** The card of an ask; total and the same for the same ask and limits. */
export function askCard(ask: AskView, limits: CardLimits): AskCard {
  const what = argumentSections(ask.args, limits);
  const edited = ask.editedArgs === null ? [] : [editedSection(ask.editedArgs, limits)];
  const sections = [...what.sections, ...edited, ...factSections(ask), ...claimSections(ask.agentSays, limits)];
  const title = `${oneLine(ask.tool, NAME)} for ${oneLine(ask.agent, NAME)}`;
  const card = { askId: ask.id, version: ask.version, title, risk: ask.risk, sections, approvable: what.whole };
  return { ...card, text: textOf(card) };
}

function argumentSections(args: string, limits: CardLimits): { sections: CardSection[]; whole: boolean } {
  const shown = shownArguments(args);
  const room = Math.max(1, limits.sections - FIXED_SECTIONS);
  // More arguments than sections: the last section holds all the rest.
  const single = shown.slice(0, shown.length > room ? room - 1 : room);
  const rest = shown.slice(single.length);
  const texts = single.map(({ name, text }) => ({ label: oneLine(name ?? 'arguments', NAME), text }));
  if (rest.length > 0) {
    const text = rest.map((one) => `${one.name ?? 'arguments'}: ${one.text}`).join('\n');
    texts.push({ label: `${rest.length} more arguments`, text });
  }
  const fitted = texts.map(({ label, text }) => ({ label, ...fitText(text, limits.section) }));
  return {
    sections: fitted.map(({ label, text }) => ({ kind: 'code', label, text })),
    whole: fitted.every(({ whole }) => whole),
  };
}

/** Whoever reads the card of an ended ask must not take what was asked about for what runs. */
function editedSection(args: string, limits: CardLimits): CardSection {
  const text = shownArguments(args)
    .map((one) => `${one.name ?? 'arguments'}: ${one.text}`)
    .join('\n');
  return { kind: 'code', label: 'approved with other arguments', text: fitText(text, limits.section).text };
}

function factSections(ask: AskView): CardSection[] {
  const fact = (label: string, text: string): CardSection => ({ kind: 'fact', label, text: oneLine(text, FACT) });
  return [
    fact('in folder', ask.cwd ?? 'not told'),
    fact('session', ask.path.join(' > ')),
    fact('asked because', `${ask.reason} (${ask.ruleId})`),
    fact('risk', ask.risk),
    fact('answer by', ask.deadline ?? 'no limit'),
    fact('arguments hash', ask.argsHash),
  ];
}

function claimSections(says: string | null, limits: CardLimits): CardSection[] {
  if (says === null || says === '') return [];
  // Never longer than what it talks about may be: a claim must not push the call out of sight.
  return [{ kind: 'claim', label: 'the agent says', text: fitText(plain(says), Math.min(600, limits.section)).text }];
}

function oneLine(text: string, max: number): string {
  return fitText(showPlainly(text), max).text.replaceAll('\n', ' ');
}

function textOf({ askId, version, title, sections }: Omit<AskCard, 'text' | 'risk' | 'approvable'>): string {
  const lines = sections.map(({ label, text }) => (text.includes('\n') ? `${label}:\n${text}` : `${label}: ${text}`));
  return [`${title} (${askId}, version ${version})`, ...lines].join('\n');
}
