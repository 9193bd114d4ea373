/** Imports Codex `.rules` files: prefix rules on commands, of which the strictest match decides, as here. */
import type { Effect } from '@countersign/contracts';
import { MAX_TEXT_LENGTH, quoted } from '../documents/text-node.js';
import { choices, prefixSpec } from './command-words.js';
import {
  ASKS,
  addRule,
  finishDraft,
  mapped,
  notMapped,
  startDraft,
  unreadable,
  whereOf,
  type Draft,
  type ImportFile,
  type ImportResult,
} from './import-report.js';
import { examplesOf } from './shell-words.js';
import { readStarlark, type StarlarkStatement, type StarlarkValue } from './starlark.js';

type Call = Extract<StarlarkStatement, { kind: 'call' }>;

const DECISIONS: Readonly<Record<string, Effect>> = { allow: 'allow', prompt: 'ask', forbidden: 'deny' };
const PREFIX_ARGUMENTS = ['pattern', 'decision', 'justification', 'match', 'not_match'];
/** Rules that one pattern with alternatives may become. */
const MAX_CHOICES = 256;

/** Imports rules files. Never throws. Whatever is not understood makes every command ask, since it may have been a deny. */
export function importCodexRules(files: readonly ImportFile[]): ImportResult {
  const draft = startDraft();
  for (const file of files) {
    if (file.text.length > MAX_TEXT_LENGTH) unreadable(draft, file, { line: 1, column: 1 }, 'the file is too large');
    else for (const statement of readStarlark(file.text)) importStatement(draft, file, statement);
  }
  return finishDraft(draft);
}

function importStatement(draft: Draft, file: ImportFile, statement: StarlarkStatement): void {
  const where = whereOf(file, statement.at);
  if (statement.kind === 'other') importOther(draft, file, statement);
  else if (statement.name === 'prefix_rule') importPrefixRule(draft, file, statement);
  else if (statement.name === 'host_executable') {
    const name = textOf(statement.arguments.get('name'));
    const safe =
      'a command given by its path is covered by denies and asks on its name; an allow on its name leaves it to ask';
    notMapped(draft, {
      where,
      what: `host_executable ${quoted(name)}`,
      why: 'paths of programs are not pinned here',
      safe,
    });
  } else if (statement.name === 'network_rule') importNetworkRule(draft, file, statement);
  else everyCommandAsks(draft, file, { where, what: `${statement.name}(…)`, why: 'this function is not known' });
}

/** A doc string or a plain assignment does nothing by itself; what uses it will not be understood either. */
function importOther(draft: Draft, file: ImportFile, statement: Extract<StarlarkStatement, { kind: 'other' }>): void {
  const where = whereOf(file, statement.at);
  const what = quoted(statement.source.replace(/\s+/g, ' '));
  const harmless =
    /^(?:[A-Za-z_]\w*\s*=\s*(?:"[^"\\\n]*"|'[^'\\\n]*'|\[[^\]()\n]*\])|"[^"\\\n]*"|'[^'\\\n]*')\s*(?:#[^\n]*)?$/;
  if (harmless.test(statement.source)) {
    notMapped(draft, {
      where,
      what,
      why: 'names for values are not followed',
      safe: 'nothing: by itself it decides nothing',
    });
  } else everyCommandAsks(draft, file, { where, what, why: statement.why });
}

function everyCommandAsks(draft: Draft, file: ImportFile, item: { where: string; what: string; why: string }): void {
  const reason = `a part of ${file.fileName} was not understood when it was imported`;
  addRule(draft, { effect: 'ask', pattern: 'Bash', source: file.source, where: item.where, reason });
  notMapped(draft, { ...item, safe: 'every command asks, since it may forbid any' });
}

function importNetworkRule(draft: Draft, file: ImportFile, call: Call): void {
  const where = whereOf(file, call.at);
  const host = textOf(call.arguments.get('host'));
  const decision = textOf(call.arguments.get('decision'));
  const what = `network_rule ${quoted(host)} ${quoted(decision)}`;
  const why = 'it governs the network of the sandbox, which is not seen here';
  if (decision === 'allow') {
    notMapped(draft, { where, what, why, safe: ASKS });
    return;
  }
  const effect = decision === 'forbidden' || decision === 'deny' ? 'deny' : 'ask';
  const plain = /^[A-Za-z0-9.-]+$/.test(host);
  const pattern = plain ? `WebFetch(domain:${host})` : 'WebFetch';
  addRule(draft, { effect: plain ? effect : 'ask', pattern, source: file.source, where });
  everyCommandAsks(draft, file, { where, what, why: `${why}; ${quoted(pattern)} stands for it in fetches` });
}

interface PrefixRule {
  readonly effect: Effect;
  readonly places: string[][];
  readonly reason: string | undefined;
  readonly what: string;
}

function importPrefixRule(draft: Draft, file: ImportFile, call: Call): void {
  const where = whereOf(file, call.at);
  const flaw = [...call.arguments.keys()].find((name) => !PREFIX_ARGUMENTS.includes(name));
  const effect = effectOf(call);
  const places = placesOf(call.arguments.get('pattern'));
  if (flaw !== undefined || effect === undefined || places === undefined) {
    const why =
      flaw === undefined
        ? 'the pattern or the decision is not plain text'
        : `the argument ${quoted(flaw)} is not known`;
    if (effect === 'allow' && flaw === undefined) notMapped(draft, { where, what: 'prefix_rule', why, safe: ASKS });
    else everyCommandAsks(draft, file, { where, what: 'prefix_rule', why });
    return;
  }
  const what = `prefix_rule ${places.map((words) => quoted(words.join('|'))).join(' ')}`;
  const reason = textOf(call.arguments.get('justification'));
  writePrefixRule(draft, file, call, { effect, places, what, reason: reason === '' ? undefined : reason });
}

function effectOf(call: Call): Effect | undefined {
  const value = call.arguments.get('decision');
  if (value === undefined || (value.kind === 'word' && value.word === 'None')) return 'allow';
  const text = textOf(value);
  return Object.hasOwn(DECISIONS, text) ? DECISIONS[text] : undefined;
}

function placesOf(value: StarlarkValue | undefined): string[][] | undefined {
  if (value?.kind !== 'list' || value.items.length === 0) return undefined;
  const places: string[][] = [];
  for (const item of value.items) {
    const words = item.kind === 'list' ? item.items : [item];
    if (words.length === 0 || words.some((word) => word.kind !== 'text')) return undefined;
    places.push(words.map(textOf));
  }
  return places;
}

function textOf(value: StarlarkValue | undefined): string {
  return value?.kind === 'text' ? value.text : '';
}

function writePrefixRule(draft: Draft, file: ImportFile, call: Call, rule: PrefixRule): void {
  const where = whereOf(file, call.at);
  const { effect, what } = rule;
  if (!examplesHold(draft, call, rule, where)) return;
  const all = choices(rule.places, MAX_CHOICES);
  const written = all ? all.map(prefixSpec) : [prefixSpec(literalHead(rule.places))];
  const exact = all !== undefined && written.every((spec) => spec.exact);
  const patterns = [...new Set(written.map(({ spec }) => (spec === '*' ? 'Bash' : `Bash(${spec})`)))];
  if (!exact && effect === 'allow') {
    const why = all ? 'a word has blanks or quotes in it' : 'too many alternatives';
    notMapped(draft, { where, what, why, safe: ASKS });
    return;
  }
  for (const pattern of patterns) addRule(draft, { effect, pattern, source: file.source, where, reason: rule.reason });
  if (exact) mapped(draft, { where, what, as: patterns.map((pattern) => `${effect} ${pattern}`) });
  else {
    const safe = `${effect} ${patterns.map((pattern) => quoted(pattern)).join(', ')}, which covers more`;
    notMapped(draft, { where, what, why: all ? 'a word has blanks or quotes in it' : 'too many alternatives', safe });
  }
}

/** The words before the first place with alternatives. */
function literalHead(places: readonly (readonly string[])[]): string[] {
  const end = places.findIndex((words) => words.length > 1);
  return places.slice(0, end === -1 ? places.length : end).map((words) => words[0] ?? '');
}

/**
 * Examples are judged as Codex judges them, on the rule alone. Codex refuses a file whose examples fail, so such an allow is
 * left out; a deny or an ask stays, which is stricter.
 */
function examplesHold(draft: Draft, call: Call, rule: PrefixRule, where: string): boolean {
  const wanted = examplesOf(call.arguments.get('match'));
  const unwanted = examplesOf(call.arguments.get('not_match'));
  const matches = (words: readonly string[]): boolean =>
    rule.places.every((place, i) => place.includes(words[i] ?? '\u0000'));
  const good = wanted?.every(matches) === true && unwanted?.some(matches) === false;
  if (good) return true;
  const safe = rule.effect === 'allow' ? ASKS : `the ${rule.effect} is kept`;
  notMapped(draft, { where, what: rule.what, why: 'its own examples fail, so that Codex refuses the file', safe });
  return rule.effect !== 'allow';
}
