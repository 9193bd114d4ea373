/** Which allow rule or grant covers a call as a whole, for presets that judge calls as a whole. */
import type { CompiledRule, RuleSpec } from '../rules/compiled-rule.js';
import { contentCovers } from '../rules/content-pattern.js';
import { matchesRegex } from '../rules/regex-pattern.js';
import type { RuleIndex } from '../rules/rule-index.js';
import { contentFields } from './content-fields.js';
import { commandRule, pathRule, wholeToolRule } from './coverage.js';
import type { Judgement } from './judgement.js';

/** The first rule that covers all of the call: by its tool, or every file that it names, or every program that it starts. */
export function callRule(judgement: Judgement, index: RuleIndex): CompiledRule | null {
  const whole = wholeToolRule(judgement, index);
  if (whole !== null) return whole;
  if (judgement.analysis.plan !== null) return lineRule(judgement, index);
  const files = judgement.paths.filter((path) => path.use.origin === 'argument');
  return firstOfAll(files.map((path) => pathRule(judgement, index, path)));
}

/** A line is covered when it is understood, writes to no file by itself, and each of its programs is covered. */
function lineRule(judgement: Judgement, index: RuleIndex): CompiledRule | null {
  const { plan } = judgement.analysis;
  if (plan === null || plan.doubts.length > 0) return null;
  if (plan.calls.some((call) => call.redirects.some((redirect) => redirect.access === 'write'))) return null;
  return firstOfAll(plan.calls.map((call) => commandRule(judgement, index, call)));
}

function firstOfAll(rules: readonly (CompiledRule | null)[]): CompiledRule | null {
  return rules.every((rule) => rule !== null) ? (rules[0] ?? null) : null;
}

/** True when the permission answers the question about this part, or, with no part named, about the call. */
export function grantCovers(
  judgement: Judgement,
  permission: { readonly compiled: CompiledRule; readonly index: RuleIndex },
  subject: string | null,
): boolean {
  const { spec } = permission.compiled;
  if (!isAboutFields(spec)) return callRule(judgement, permission.index) !== null;
  if (wholeToolRule(judgement, permission.index) === null) return false;
  const parts = subject === null ? contentFields(judgement) : [subject];
  return parts.some((part) => fieldCovers(spec, part));
}

function isAboutFields(spec: RuleSpec): boolean {
  return spec.kind === 'content' || (spec.kind === 'regex' && spec.of === 'field');
}

function fieldCovers(spec: RuleSpec, part: string): boolean {
  if (spec.kind === 'content') return contentCovers(spec.content, part);
  return spec.kind === 'regex' && matchesRegex(spec.regex, part);
}
