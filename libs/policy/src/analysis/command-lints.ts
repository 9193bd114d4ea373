/** Checks of how command rules are written: what slips past a deny, and what slips into an allow. */
import { withoutLegacyTail } from '../rules/compiled-rule.js';
import { parseRuleText } from '../rules/parse-rule.js';
import { toolEntry } from '../tools/manifest.js';
import { allowsByItself, judgeOn, matchesAlone, specimensFor, type Bench, type ListedRule } from './bench.js';
import type { Claim } from './report.js';
import { STRICTNESS, type SampleCall } from './scene.js';
import { commandCall, commandTexts } from './specimens.js';

/** A command rule's tool and text; null for any other rule. */
function commandOf(rule: ListedRule): { tool: string; text: string } | null {
  const parts = parseRuleText(rule.rule.pattern);
  if (rule.compiled.spec.kind !== 'command' || parts === null || parts.spec === null) return null;
  return { tool: parts.tool, text: parts.spec };
}

function callWith(bench: Bench, tool: string, command: string): SampleCall {
  return commandCall(tool, toolEntry(bench.maker.tools, tool), command);
}

/** A deny or ask without a `*` at its end says nothing of the same command with one more argument. */
export function evadedByArgument(bench: Bench, rule: ListedRule): Claim | null {
  const command = commandOf(rule);
  const { effect, pattern } = rule.rule;
  if (effect === 'allow' || command === null || command.text.endsWith('*')) return null;
  const witness = evasionOf(bench, rule, command);
  if (witness === null || STRICTNESS[judgeOn(bench, witness).effect] >= STRICTNESS[effect]) return null;
  const fix = `write \`${command.tool}(${command.text} *)\`, which covers it with and without arguments`;
  if (!command.text.includes('*')) {
    const explanation = `\`${pattern}\` is this command without any further argument; with one it is not matched`;
    return { kind: 'bare-command-deny', witness, explanation, fix };
  }
  const what = effect === 'deny' ? 'the deny' : 'the question';
  const explanation = `\`${pattern}\` ends in fixed text: ${what} can be evaded by adding an argument`;
  return { kind: 'end-anchored-deny', witness, explanation, fix };
}

/** The rule's own specimen with one more word; null when the rule does not match its specimen. */
function evasionOf(bench: Bench, rule: ListedRule, command: { tool: string; text: string }): SampleCall | null {
  const [specimen] = specimensFor(bench, rule);
  const [text] = commandTexts(bench.maker.fresh, command.text);
  if (specimen === undefined || text === undefined || !matchesAlone(bench, rule, specimen)) return null;
  return callWith(bench, command.tool, `${text} ${bench.maker.fresh(9)}`);
}

/** `Bash(git:* push)`: only a final `:*` is a wildcard for arguments. */
export function midColonStar(bench: Bench, rule: ListedRule): Claim | null {
  const command = commandOf(rule);
  if (command === null || !/:\*(?!$)/.test(command.text)) return null;
  const meant = command.text.replaceAll(/:\*/g, ' *');
  const witness = callWith(bench, command.tool, commandTexts(bench.maker.fresh, meant)[0] ?? meant);
  if (matchesAlone(bench, rule, witness)) return null;
  return {
    kind: 'mid-colon-star',
    witness,
    explanation: '`:*` stands for arguments only at the end; here the colon is taken as it stands',
    fix: `write \`${command.tool}(${meant})\``,
  };
}

/** `Bash(git:*)` is the form of old for `Bash(git *)`. */
export function legacyTail(bench: Bench, rule: ListedRule): Claim | null {
  const command = commandOf(rule);
  const { ruleSyntax } = bench.policy.preset;
  if (ruleSyntax !== 'patterns' || command === null || !command.text.endsWith(':*')) return null;
  return {
    kind: 'out-of-use',
    witness: specimensFor(bench, rule)[0] ?? null,
    explanation: 'the tail `:*` is a form of old for ` *`; it still means the same',
    fix: `write \`${withoutLegacyTail(rule.rule.pattern)}\``,
  };
}

const REGEX_MARKS = /^\^|\$$|\.[*+]|\\[swdSWDb]|\([^()]*\|[^()]*\)|\{[^{},]*,[^{}]*\}/;

/** Without `re:`, regular expressions and braces mean nothing in a rule. */
export function regexInCommand(bench: Bench, rule: ListedRule): Claim | null {
  const command = commandOf(rule);
  if (command === null || !REGEX_MARKS.test(command.text)) return null;
  const meant = command.text
    .replace(/^\^|\$$/g, '')
    .replace(/\\s[*+]?/g, ' ')
    .replace(/(?:\.|\\[wdSWD])[*+]/g, '*')
    .replace(/\\[wdSWDb]/g, '')
    .replace(/\(\??:?([^()|]*)\|[^()]*\)/g, '$1')
    .replace(/\{([^{},]*),[^{}]*\}/g, '$1');
  const witness = callWith(bench, command.tool, commandTexts(bench.maker.fresh, meant)[0] ?? meant);
  if (meant === command.text || matchesAlone(bench, rule, witness)) return null;
  const many = /\||\{[^{}]*,/.test(command.text) ? ', and one rule for each alternative' : '';
  return {
    kind: 'wrong-syntax',
    witness,
    explanation: 'without `re:` rules know `*` only; regular expressions and braces are taken as they stand',
    fix: `write \`${command.tool}(${meant})\`${many}, or \`re:\` before an expression`,
  };
}

/** `Bash(* --version)` and `Bash(git*)` as allows let programs through that they do not name. */
export function unanchoredAllow(bench: Bench, rule: ListedRule): Claim | null {
  const command = commandOf(rule);
  const program = command?.text.split(' ')[0] ?? '';
  if (rule.rule.effect !== 'allow' || command === null || !program.replace(/:\*$/, '').includes('*')) return null;
  const text = commandTexts(bench.maker.fresh, command.text)[0] ?? '';
  const witness = callWith(bench, command.tool, text);
  if (!allowsByItself(bench, rule, witness)) return null;
  const name = program.slice(0, program.indexOf('*'));
  return {
    kind: 'unanchored-allow',
    witness,
    explanation:
      name === ''
        ? 'names no program: any program is allowed that is called like this'
        : `allows every program whose name begins with \`${name}\``,
    fix:
      name === ''
        ? 'name the programs, one rule each'
        : `write \`${command.tool}(${name} *)\` with a blank before the \`*\``,
  };
}
