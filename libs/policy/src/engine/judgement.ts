/** One judgement in progress: what the layers read, and the matches that they add. */
import { MODES, type Facts, type Match, type Mode, type SessionFacts } from '@countersign/contracts';
import { sessionRules, type CompiledPolicy, type RuleSet } from '../policy/compiled-policy.js';
import type { ModeEntry } from '../policy/preset.js';
import { isReadOnly } from '../commands/read-only.js';
import { canonicalPath, joinGiven } from '../paths/normalise.js';
import type { CompiledRule } from '../rules/compiled-rule.js';
import type { PathBases } from '../rules/path-pattern.js';
import { analyse, type Analysis, type EngineCall } from './analysis.js';
import { openCover, type Cover } from './cover.js';
import { judgePath, rootsWithReal, type JudgedPath } from './evidence.js';

/** What one layer needs to know; `matches` grows as layers speak. */
export interface Judgement {
  readonly call: EngineCall;
  readonly policy: CompiledPolicy;
  readonly facts: Facts;
  readonly mode: Mode;
  readonly modeEntry: ModeEntry;
  readonly analysis: Analysis;
  readonly paths: readonly JudgedPath[];
  /** Canonical roots and their real paths. */
  readonly roots: readonly string[];
  readonly home: string | null;
  readonly bases: PathBases;
  /** The policy's rules, then the session's. */
  readonly ruleSets: readonly RuleSet[];
  /** Which simple commands only read, by number. */
  readonly readOnly: readonly boolean[];
  readonly matches: Match[];
  /** Which parts something allows so far. */
  readonly cover: Cover;
  /** What denies and asks about commands compare with; made when first needed. */
  tighteningTexts: ReadonlyMap<string, boolean> | null;
}

/** Prepares a judgement. */
export function openJudgement(call: EngineCall, policy: CompiledPolicy, facts: Facts): Judgement {
  const { session } = facts;
  const analysis = analyse(call, policy, session);
  const mode = effectiveMode(call, policy, session);
  const roots = rootsWithReal(rootsOf(policy, session), facts);
  const home = session.home === null ? null : canonicalPath(session.home);
  return {
    call,
    policy,
    facts,
    mode,
    modeEntry: policy.preset.modes[mode],
    analysis,
    paths: analysis.uses.map((use) => judgePath(use, facts)),
    roots,
    home,
    bases: basesOf(call, session, { roots, home }),
    ruleSets: session.rules.length === 0 ? [policy.rules] : [policy.rules, sessionRules(session.rules, policy.preset)],
    readOnly: analysis.plan?.calls.map(isReadOnly) ?? [],
    tighteningTexts: null,
    matches: [],
    cover: openCover(analysis.plan?.calls.length ?? 0, analysis.uses.length),
  };
}

/** The roots as written: the session's, then the policy's; relative ones lie beside the working folder. */
export function rootsOf(policy: CompiledPolicy, session: SessionFacts): string[] {
  const { roots, additionalDirectories } = policy.document;
  const all = [...session.roots, ...roots, ...additionalDirectories];
  return all.map((root) => joinGiven(session.cwd, root)).filter((root) => root !== null);
}

/**
 * The mode to judge by. What an agent's own hook reports counts only when the policy lets agents choose it, or when it is
 * the session's anyway; a report outside of that is judged as `default`.
 */
function effectiveMode(call: EngineCall, policy: CompiledPolicy, session: SessionFacts): Mode {
  const { reportedMode } = call;
  const known = MODES.includes(session.mode) ? session.mode : 'default';
  if (reportedMode === null || reportedMode === known) return known;
  return policy.document.agentModes.find((mode) => mode === reportedMode) ?? 'default';
}

function basesOf(
  call: EngineCall,
  session: SessionFacts,
  known: { roots: readonly string[]; home: string | null },
): PathBases {
  const cwd = session.cwd === null ? null : canonicalPath(session.cwd);
  const here = call.cwd === null ? null : canonicalPath(call.cwd);
  const relative = cwd ?? known.roots[0] ?? here;
  const loose = new Set([relative, here, ...known.roots].filter((base) => base !== null && base !== undefined));
  return { home: known.home, root: known.roots[0] ?? cwd, relative: relative ?? null, loose: [...loose] };
}

type MatchInput = Pick<Match, 'layer' | 'effect' | 'ruleId' | 'reason'> & { readonly subject?: string | null };

const MAX_MATCHES = 200;

/** Adds what something other than a rule says. */
export function addMatch(judgement: Judgement, input: MatchInput): void {
  const { layer, effect, ruleId, reason, subject = null } = input;
  push(judgement, { layer, effect, ruleId, reason, source: null, pattern: null, subject, level: null });
}

/** Adds what a rule says of a part of the call. */
export function addRuleMatch(
  judgement: Judgement,
  layer: Match['layer'],
  rule: CompiledRule,
  subject: string | null,
): void {
  const { id, effect, reason, source, pattern } = rule.rule;
  const words = reason === '' ? `${effect} rule \`${pattern}\`` : reason;
  push(judgement, { layer, effect, ruleId: id, reason: words, source, pattern, subject, level: null });
}

/** INVARIANT: past the limit only allows are dropped; a deny or ask is always kept, so that the cap never loosens. */
function push(judgement: Judgement, match: Match): void {
  const { matches } = judgement;
  if (matches.length >= MAX_MATCHES && match.effect === 'allow') return;
  const { subject } = match;
  const short = subject !== null && subject.length > MAX_SUBJECT ? `${subject.slice(0, MAX_SUBJECT)}…` : subject;
  const known = matches.some(
    (old) =>
      old.ruleId === match.ruleId && old.layer === match.layer && old.subject === short && old.effect === match.effect,
  );
  if (!known) matches.push({ ...match, subject: short });
}

const MAX_SUBJECT = 500;
