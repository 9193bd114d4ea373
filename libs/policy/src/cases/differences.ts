/** Compares what a case expects with what came out, field by field. Only what the engine alone decides is compared. */
import type { Match, Verdict } from '@countersign/contracts';
import { traitsOf } from '../tools/traits.js';
import type { CaseRow } from './case-row.js';
import type { JudgedCase } from './run-case.js';

/** A plain sentence for every field that differs; empty when the case passes. */
export function differencesOf(row: CaseRow, judged: JudgedCase): string[] {
  const { expected, acceptable } = row;
  const { verdict } = judged;
  const out: string[] = [];
  if (expected.effect !== undefined && verdict.effect !== expected.effect && !acceptable.includes(verdict.effect)) {
    out.push(
      `effect is ${verdict.effect} (by ${verdict.ruleId}), expected ${[expected.effect, ...acceptable].join(' or ')}`,
    );
  }
  const wanted: Readonly<Record<string, unknown>> = { ...expected, overridden: expected.overridden?.join(' ') };
  for (const [field, seen] of Object.entries(textsOf(verdict))) compare(out, field, seen, wanted[field]);
  if ('finalArgs' in expected) {
    compare(out, 'finalArgs', JSON.stringify(judged.finalArgs), JSON.stringify(expected.finalArgs));
  }
  if (expected.traits !== undefined) compareTraits(out, row, judged);
  return out;
}

/** What is compared as text, by the names that cases use. */
function textsOf(verdict: Verdict): Readonly<Record<string, string>> {
  const winner = winnerOf(verdict);
  const level = winner?.level ?? 'none';
  const { ruleId, reason } = verdict;
  return {
    ruleId,
    precedence: level,
    step: level,
    reason,
    message: reason,
    ruleSource: winner?.source ?? 'none',
    code: codeOf(ruleId),
    overridden: overriddenOf(verdict, winner).join(' '),
  };
}

function compare(out: string[], field: string, seen: string, expected: unknown): void {
  if (expected !== undefined && seen !== expected) out.push(`${field} is ${seen}, expected ${String(expected)}`);
}

function winnerOf(verdict: Verdict): Match | undefined {
  return verdict.matches.find(
    (match) =>
      match.ruleId === verdict.ruleId &&
      match.layer === verdict.layer &&
      match.effect === verdict.effect &&
      match.reason === verdict.reason,
  );
}

/** Levels of everything that did not win, in the order of their names. */
function overriddenOf(verdict: Verdict, winner: Match | undefined): string[] {
  const levels = verdict.matches.map((match) => match.level);
  return [...new Set(levels)].filter((level) => level !== null && level !== winner?.level).sort() as string[];
}

const CODES: Readonly<Record<string, string>> = { 'guard.breaker': 'breaker_open' };

/** Guards have codes that agents' run loops act on. */
function codeOf(ruleId: string): string {
  return CODES[ruleId] ?? ruleId.replace(/^guard\./, '');
}

function compareTraits(out: string[], row: CaseRow, judged: JudgedCase): void {
  const traits: Readonly<Record<string, unknown>> = {
    ...traitsOf(row.tool, judged.finalArgs, judged.policy.preset.tools),
  };
  for (const [name, expected] of Object.entries(row.expected.traits ?? {})) {
    const seen = traits[name];
    const same = typeof seen === 'string' ? seen === String(expected).toLowerCase() : seen === expected;
    if (!same) out.push(`${name} is ${JSON.stringify(seen)}, expected ${JSON.stringify(expected)}`);
  }
}
