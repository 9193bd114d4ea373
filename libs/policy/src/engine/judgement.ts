/** One judgement in progress: what the layers read, and the matches that they add. */
import { MODES, type Facts, type Match, type Mode, type SessionFacts } from '@countersign/contracts';
import { sessionRules, type CompiledPolicy, type RuleSet } from '../policy/compiled-policy.js';
import type { CommandStyle } from '../policy/command-style.js';
import type { ModeEntry } from '../policy/preset.js';
import { canonicalPath, joinGiven } from '../paths/normalise.js';
import type { CompiledRule } from '../rules/compiled-rule.js';
import type { PathBases } from '../rules/path-pattern.js';
import type { CommandText } from '../rules/rule-index.js';
import type { ShellPlan } from '../shell/plan.js';
import { analyse, type Analysis, type EngineCall } from './analysis.js';
import { openCover, type Cover } from './cover.js';
import { judgePath, rootsWithReal, type JudgedPath } from './evidence.js';
import { withHome, type PathUse } from './uses.js';

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
  /** The command line may be allowed as a whole only, not part by part. */
  readonly unclear: boolean;
  readonly matches: Match[];
  /** What rules said that lost by their place: told, never weighed. */
  readonly overridden: Match[];
  /** Which parts something allows so far. */
  readonly cover: Cover;
  /** What denies and asks about commands compare with, by text; made when first needed. */
  tighteningTexts: ReadonlyMap<string, TighteningText> | null;
  /** The whole lines that denies and asks about commands compare with; made when first needed. */
  lineTexts: readonly LineText[] | null;
}

/** One text that denies and asks about commands compare with. `sure`: it surely runs here. `call`: whose spelling it is, -1 for the line alone. */
export interface TighteningText extends CommandText {
  readonly sure: boolean;
  readonly call: number;
}

/** A whole line, or a part of one that is more than one command. */
export type LineText = Pick<TighteningText, 'text' | 'sure'>;

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
    paths: pathsOf(analysis.uses, facts),
    roots,
    home,
    bases: basesOf(call, session, { roots, home }),
    ruleSets: session.rules.length === 0 ? [policy.rules] : [policy.rules, sessionRules(session.rules, policy.preset)],
    readOnly: readOnlyOf(analysis.plan, policy.preset.commands),
    unclear: isUnclear(analysis.plan, policy.preset.commands),
    tighteningTexts: null,
    lineTexts: null,
    matches: [],
    overridden: [],
    cover: openCover(analysis.plan?.calls.length ?? 0, analysis.uses.length),
  };
}

function pathsOf(uses: readonly PathUse[], facts: Facts): JudgedPath[] {
  const out: JudgedPath[] = [];
  for (const use of uses) out.push(judgePath(use, facts));
  return out;
}

function readOnlyOf(plan: ShellPlan | null, { readOnly }: CommandStyle): boolean[] {
  if (plan === null || readOnly === null) return [];
  // However harmless each command is, processes without end are not.
  const endless = plan.shapes.has('endless_background');
  return plan.calls.map((call) => !endless && readOnly(call, plan));
}

function isUnclear(plan: ShellPlan | null, { unclear }: CommandStyle): boolean {
  if (plan === null || unclear.size === 0) return false;
  for (const shape of plan.shapes) if (unclear.has(shape)) return true;
  return false;
}

/** The roots as written: the session's, then the policy's; relative ones lie beside the working folder, `~` is the user's home. */
export function rootsOf(policy: CompiledPolicy, session: SessionFacts): string[] {
  const { roots, additionalDirectories } = policy.document;
  const out: string[] = [];
  addRoots(out, session.roots, session);
  addRoots(out, roots, session);
  addRoots(out, additionalDirectories, session);
  return out;
}

function addRoots(out: string[], roots: readonly string[], session: SessionFacts): void {
  for (const root of roots) {
    const path = withHome(root, session.home);
    const joined = path === null ? null : joinGiven(session.cwd, path);
    if (joined !== null) out.push(joined);
  }
}

const STRICTER_THAN_DEFAULT: ReadonlySet<Mode> = new Set(['plan', 'dontAsk', 'custom']);

/**
 * The mode to judge by. What an agent's own hook reports counts only when the policy lets agents choose it, or when it is
 * the session's anyway; a report outside of that is judged as `default`, or as the session's own mode where that is stricter.
 * No report leaves `custom`: people set it, and its rules alone decide.
 */
function effectiveMode(call: EngineCall, policy: CompiledPolicy, session: SessionFacts): Mode {
  const { reportedMode } = call;
  const known = MODES.includes(session.mode) ? session.mode : 'default';
  if (reportedMode === null || reportedMode === known) return known;
  const { legalModes } = policy.preset;
  const chosen = policy.document.agentModes.find((mode) => mode === reportedMode && legalModes.includes(mode));
  if (chosen !== undefined && known !== 'custom') return chosen;
  return STRICTER_THAN_DEFAULT.has(known) ? known : 'default';
}

function basesOf(
  call: EngineCall,
  session: SessionFacts,
  known: { roots: readonly string[]; home: string | null },
): PathBases {
  const cwd = session.cwd === null ? null : canonicalPath(session.cwd);
  const here = call.cwd === null ? null : canonicalPath(call.cwd);
  const relative = cwd ?? known.roots[0] ?? here;
  return { home: known.home, root: known.roots[0] ?? cwd, relative, loose: looseBases(relative, here, known.roots) };
}

function looseBases(relative: string | null, here: string | null, roots: readonly string[]): string[] {
  const out: string[] = relative === null ? [] : [relative];
  if (here !== null && here !== relative) out.push(here);
  for (const root of roots) if (!out.includes(root)) out.push(root);
  return out;
}

type MatchInput = Pick<Match, 'layer' | 'effect' | 'ruleId' | 'reason'> & { readonly subject?: string | null };

const MAX_MATCHES = 200;

/** Adds what something other than a rule says. */
export function addMatch(judgement: Judgement, input: MatchInput): void {
  const { layer, effect, ruleId, reason, subject = null } = input;
  const name = judgement.policy.preset.ruleNames[ruleId] ?? ruleId;
  const short = shortened(subject);
  push(judgement, { layer, effect, ruleId: name, reason, source: null, pattern: null, subject: short, level: null });
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
  const short = shortened(subject);
  push(judgement, { layer, effect, ruleId: id, reason: words, source, pattern, subject: short, level: null });
}

/** INVARIANT: past the limit only allows are dropped; a deny or ask is always kept, so that the cap never loosens. */
function push(judgement: Judgement, match: Match): void {
  const { matches } = judgement;
  if (matches.length >= MAX_MATCHES && match.effect === 'allow') return;
  for (const old of matches) if (isSame(old, match)) return;
  matches.push(match);
}

function isSame(old: Match, match: Match): boolean {
  return (
    old.ruleId === match.ruleId &&
    old.layer === match.layer &&
    old.subject === match.subject &&
    old.effect === match.effect &&
    old.source === match.source
  );
}

function shortened(subject: string | null): string | null {
  return subject !== null && subject.length > MAX_SUBJECT ? `${subject.slice(0, MAX_SUBJECT)}…` : subject;
}

const MAX_SUBJECT = 500;
