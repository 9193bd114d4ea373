/** Reads the policy settings that may stand in environment variables. The caller hands the variables in. */
import { MODES, type PolicyInput, type RuleInput } from '@countersign/contracts';
import type { PolicyFragment } from './merge-policies.js';
import { ruleParts, splitRuleList } from './rule-list.js';
import { nearest } from './suggest.js';
import { quoted } from './text-node.js';

/**
 * The variables and what they hold. Lists of rules: parted by commas and newlines outside parentheses. Lists of folders: parted
 * by commas and newlines, each absolute or under `~/`. Numbers: whole, above zero. An empty value counts as not set.
 */
export const ENVIRONMENT_VARIABLES = [
  'AGENT_PERMISSIONS_DENY',
  'AGENT_PERMISSIONS_ASK',
  'AGENT_PERMISSIONS_ALLOW',
  'AGENT_PERMISSION_MODE',
  'AGENT_ADDITIONAL_DIRS',
  'AGENT_BLOCK_NETWORK',
  'AGENT_DENIAL_MAX_CONSECUTIVE',
  'AGENT_DENIAL_MAX_TOTAL',
  'AGENT_TOOL_TIMEOUT_SECS',
] as const;
type Variable = (typeof ENVIRONMENT_VARIABLES)[number];

/** What is wrong with one variable; `suggestion` is the value or name that was probably meant. */
export interface EnvironmentProblem {
  readonly variable: string;
  readonly message: string;
  readonly suggestion?: string;
}

export type EnvironmentResult = { ok: true; policy: PolicyFragment } | { ok: false; problems: EnvironmentProblem[] };

interface Reading {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly problems: EnvironmentProblem[];
}

/** Names that look like ours: a misspelt one would silently drop a deny. */
const OUR_NAMES = /^AGENT_(?:PERMISSION|DENIAL|ADDITIONAL|BLOCK_NET)/;
/** A longest rule as the schema has it. */
const MAX_RULE_LENGTH = 2_000;

/**
 * The part of a policy that the environment sets: rules with source `managed`, mode, folders, breaker, and the options
 * `blockNetwork` and `toolTimeoutSecs`. Any flaw refuses the whole, since a deny that was meant must not be lost.
 */
export function policyFromEnvironment(variables: Readonly<Record<string, string | undefined>>): EnvironmentResult {
  const reading: Reading = { variables, problems: misspelt(variables) };
  const policy: PolicyFragment = {
    ...rules(reading, 'AGENT_PERMISSIONS_DENY', 'deny'),
    ...rules(reading, 'AGENT_PERMISSIONS_ASK', 'ask'),
    ...rules(reading, 'AGENT_PERMISSIONS_ALLOW', 'allow'),
    ...mode(reading),
    ...directories(reading),
    ...breaker(reading),
    ...options(reading),
  };
  return reading.problems.length > 0 ? { ok: false, problems: reading.problems } : { ok: true, policy };
}

function misspelt(variables: Readonly<Record<string, string | undefined>>): EnvironmentProblem[] {
  const known: readonly string[] = ENVIRONMENT_VARIABLES;
  return Object.keys(variables)
    .filter((name) => variables[name] !== undefined && OUR_NAMES.test(name) && !known.includes(name))
    .flatMap((name) => {
      const meant = nearest(name, known);
      return meant === undefined ? [] : [{ variable: name, message: 'unknown variable', suggestion: meant }];
    });
}

function valueOf(reading: Reading, variable: Variable): string | undefined {
  const value = reading.variables[variable]?.trim();
  return value === '' ? undefined : value;
}

function complain(reading: Reading, variable: Variable, message: string, suggestion?: string): void {
  reading.problems.push({ variable, message, ...(suggestion === undefined ? {} : { suggestion }) });
}

function rules(reading: Reading, variable: Variable, list: 'deny' | 'ask' | 'allow'): PolicyFragment {
  const value = valueOf(reading, variable);
  if (value === undefined) return {};
  const split = splitRuleList(value);
  if (!split.ok) complain(reading, variable, split.message);
  const items = split.ok ? split.items : [];
  for (const item of items) {
    if (!ruleParts(item)) complain(reading, variable, `${quoted(item)} is no rule`);
    if (item.length > MAX_RULE_LENGTH)
      complain(reading, variable, `a rule is longer than ${String(MAX_RULE_LENGTH)} characters`);
  }
  return { [list]: items.map((rule): RuleInput => ({ rule, source: 'managed', origin: variable })) };
}

function mode(reading: Reading): PolicyFragment {
  const value = valueOf(reading, 'AGENT_PERMISSION_MODE');
  if (value === undefined) return {};
  const known = MODES.find((name) => name === value);
  if (known !== undefined) return { mode: known };
  const names = MODES.map((name) => quoted(name)).join(', ');
  complain(reading, 'AGENT_PERMISSION_MODE', `${quoted(value)} is none of ${names}`, nearest(value, MODES));
  return {};
}

function directories(reading: Reading): PolicyFragment {
  const value = valueOf(reading, 'AGENT_ADDITIONAL_DIRS');
  if (value === undefined) return {};
  const items = value
    .split(/[,\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
  for (const item of items) {
    if (!/^(?:\/|~(?:\/|$)|[A-Za-z]:[\\/])/.test(item)) {
      complain(reading, 'AGENT_ADDITIONAL_DIRS', `${quoted(item)} is neither absolute nor under \`~/\``);
    } else if (/.:[/~]/.test(item.slice(1))) {
      complain(
        reading,
        'AGENT_ADDITIONAL_DIRS',
        `${quoted(item)} looks like several folders`,
        item.replaceAll(/:(?=[/~])/g, ','),
      );
    }
  }
  return { additionalDirectories: items };
}

function breaker(reading: Reading): PolicyFragment {
  const inARow = positive(reading, 'AGENT_DENIAL_MAX_CONSECUTIVE', 1_000_000);
  const total = positive(reading, 'AGENT_DENIAL_MAX_TOTAL', 1_000_000);
  const fields: NonNullable<PolicyFragment['breaker']> = {};
  if (inARow !== undefined) fields.inARow = inARow;
  if (total !== undefined) fields.total = total;
  return Object.keys(fields).length > 0 ? { breaker: fields } : {};
}

function options(reading: Reading): PolicyFragment {
  const found: NonNullable<PolicyInput['options']> = {};
  const seconds = positive(reading, 'AGENT_TOOL_TIMEOUT_SECS', 86_400);
  if (seconds !== undefined) found['toolTimeoutSecs'] = seconds;
  const block = flag(reading, 'AGENT_BLOCK_NETWORK');
  if (block !== undefined) found['blockNetwork'] = block;
  return Object.keys(found).length > 0 ? { options: found } : {};
}

function positive(reading: Reading, variable: Variable, most: number): number | undefined {
  const value = valueOf(reading, variable);
  if (value === undefined) return undefined;
  const number = /^\d{1,9}$/.test(value) ? Number(value) : 0;
  if (number >= 1 && number <= most) return number;
  complain(reading, variable, `expected a whole number from 1 to ${String(most)}, found ${quoted(value)}`);
  return undefined;
}

/** What counts as true and false, and words that are only hinted at: a guess must not open the network. */
const FLAG_WORDS: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };
const FLAG_HINTS: Readonly<Record<string, string>> = { yes: 'true', on: 'true', no: 'false', off: 'false' };

function flag(reading: Reading, variable: Variable): boolean | undefined {
  const value = valueOf(reading, variable)?.toLowerCase();
  if (value === undefined) return undefined;
  if (Object.hasOwn(FLAG_WORDS, value)) return FLAG_WORDS[value];
  const meant = Object.hasOwn(FLAG_HINTS, value) ? FLAG_HINTS[value] : nearest(value, ['true', 'false']);
  complain(reading, variable, `expected \`true\` or \`false\`, found ${quoted(value)}`, meant);
  return undefined;
}
