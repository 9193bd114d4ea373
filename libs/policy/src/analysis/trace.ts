/** The step-by-step account of a verdict. Rendered from the verdict alone, so that it can never say something else. */
import {
  LAYERS,
  escapeForDisplay,
  type Effect,
  type Layer,
  type Match,
  type Mode,
  type Risk,
  type Verdict,
} from '@countersign/contracts';

/**
 * How a statement stands to the end: `decided` it; `agrees` with it; `overridden` was milder and lost; `set aside` was stricter and lost,
 * because a grant answered it before or the preset ranks it lower.
 */
export type Standing = 'decided' | 'agrees' | 'overridden' | 'set aside';

/** One thing that was said. */
export interface Statement {
  readonly standing: Standing;
  readonly effect: Effect;
  readonly ruleId: string;
  readonly reason: string;
  readonly pattern: string | null;
  readonly source: Match['source'];
  readonly subject: string | null;
  readonly level: string | null;
}

/** One layer, in order; without statements it had nothing to say. */
export interface TraceStep {
  readonly number: number;
  readonly layer: Layer;
  readonly statements: readonly Statement[];
}

export interface Trace {
  readonly effect: Effect;
  readonly ruleId: string;
  readonly layer: Layer;
  readonly reason: string;
  readonly mode: Mode;
  readonly risk: Risk;
  readonly steps: readonly TraceStep[];
}

const STRENGTH: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

/** The trace of a verdict. `layers` is the preset's own order, where it differs from that of `standard`. */
export function traceOf(verdict: Verdict, layers: readonly Layer[] = LAYERS): Trace {
  const winner = verdict.matches.find((match) => settled(match, verdict));
  const order = [...layers, ...LAYERS.filter((layer) => !layers.includes(layer) && spoke(verdict, layer))];
  const { effect, ruleId, layer, reason, mode, risk } = verdict;
  return {
    effect,
    ruleId,
    layer,
    reason,
    mode,
    risk,
    steps: order.map((one, number) => ({
      number,
      layer: one,
      statements: verdict.matches
        .filter((match) => match.layer === one)
        .map((match) => statementOf(match, verdict, winner)),
    })),
  };
}

function settled(match: Match, verdict: Verdict): boolean {
  const { ruleId, layer, effect, reason } = verdict;
  return match.ruleId === ruleId && match.layer === layer && match.effect === effect && match.reason === reason;
}

function spoke(verdict: Verdict, layer: Layer): boolean {
  return verdict.matches.some((match) => match.layer === layer);
}

function statementOf(match: Match, verdict: Verdict, winner: Match | undefined): Statement {
  const { effect, ruleId, reason, pattern, source, subject, level } = match;
  return { standing: standingOf(match, verdict, winner), effect, ruleId, reason, pattern, source, subject, level };
}

function standingOf(match: Match, verdict: Verdict, winner: Match | undefined): Standing {
  if (match === winner) return 'decided';
  if (match.effect === verdict.effect) return 'agrees';
  return STRENGTH[match.effect] < STRENGTH[verdict.effect] ? 'overridden' : 'set aside';
}

/** The trace as text: a line for each layer, indented lines for what it said, and the end. Text of agents is escaped. */
export function renderTrace(trace: Trace): string {
  const width = Math.max(...trace.steps.map((step) => step.layer.length));
  const lines = trace.steps.flatMap((step) => stepLines(step, trace, width));
  const end = `=> ${trace.effect} by ${trace.ruleId} in layer ${trace.layer} (mode ${trace.mode}, risk ${trace.risk})`;
  return [...lines, escapeForDisplay(end)].join('\n');
}

function stepLines(step: TraceStep, trace: Trace, width: number): string[] {
  const head = `${String(step.number)} ${step.layer.padEnd(width)}`;
  if (step.statements.length === 0) return [`${head}  -`];
  return step.statements.map((statement, at) => {
    const start = at === 0 ? head : ' '.repeat(head.length);
    return `${start}  ${escapeForDisplay(statementText(statement, trace))}`;
  });
}

function statementText(statement: Statement, trace: Trace): string {
  const { effect, ruleId, reason, subject, source, level } = statement;
  const about = subject === null ? '' : ` on \`${subject}\``;
  const from = source === null ? '' : ` [${source}]`;
  const rank = level === null ? '' : ` (${level})`;
  return `${effect} by ${ruleId}${from}${rank}${about}: ${reason}${endOf(statement, trace)}`;
}

function endOf(statement: Statement, trace: Trace): string {
  switch (statement.standing) {
    case 'decided':
      return ' <- decided';
    case 'agrees':
      return '';
    case 'overridden':
      return ` (overridden by ${trace.ruleId})`;
    case 'set aside':
      return ` (set aside for ${trace.ruleId})`;
  }
}
