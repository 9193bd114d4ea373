/** Layer 3: what no answer and no mode can lift: protected folders, deny rules, dangerous commands. */
import type { Effect } from '@countersign/contracts';
import { DANGERS, type Danger } from '../../commands/dangerous/families.js';
import { foldedPath } from '../../paths/folded-segments.js';
import { canonicalPath, isInside, joinGiven } from '../../paths/normalise.js';
import type { PresetData } from '../../policy/preset.js';
import type { ShellCall, ShellPlan } from '../../shell/plan.js';
import type { ShellWord } from '../../shell/tree.js';
import { escapeGlob, hasGlob, pathsOfWord } from '../../shell/word-paths.js';
import { dangerScene } from '../danger-scene.js';
import { addMatch, addRuleMatch, type Judgement } from '../judgement.js';
import type { PathUse } from '../uses.js';
import { fromRealFolder, globMayReach } from '../path-reach.js';
import { forTighteningRules } from '../rule-matching.js';
import { denyListed } from '../shell-lists.js';
import { denyByTool } from './tool-checks.js';

export function hardDenyLayer(judgement: Judgement): void {
  denyProtected(judgement);
  denyDangers(judgement);
  denyListed(judgement);
  denyByTool(judgement);
  if (judgement.policy.preset.combining.by === 'place') return;
  for (const set of judgement.ruleSets) {
    forTighteningRules(judgement, set.deny, (rule, subject, sure) => {
      if (sure) addRuleMatch(judgement, 'hard-deny', rule, subject);
      else askAboutDeny(judgement, rule.rule.id, subject);
    });
  }
}

/** A deny that may or may not be meant (a wildcard could reach it) is a question, not a refusal. */
function askAboutDeny(judgement: Judgement, ruleId: string, subject: string | null): void {
  addMatch(judgement, { layer: 'ask', effect: 'ask', ruleId, reason: 'may reach what a deny rule covers', subject });
}

function denyProtected(judgement: Judgement): void {
  for (const path of judgement.facts.protectedPaths) {
    const folder = canonicalPath(path)?.toLowerCase();
    if (folder === undefined) continue;
    denyFiles(judgement, folder);
    const { command, plan } = judgement.analysis;
    if (plan !== null) denyWords(judgement, plan, folder);
    if (command?.toLowerCase().includes(folder) === true) denyFolder(judgement, command);
    askWildPaths(judgement, folder);
    if (plan !== null) askWildWords(judgement, plan, folder);
  }
}

function denyFolder(judgement: Judgement, subject: string): void {
  const reason = 'a protected folder that no agent may touch';
  addMatch(judgement, { layer: 'hard-deny', effect: 'deny', ruleId: 'path.protected', reason, subject });
}

/** A question to people; where the mode would answer it in their place, a refusal. */
function addWild(judgement: Judgement, subject: string): void {
  const { finalAsk, classified } = judgement.modeEntry;
  const match = { ruleId: 'path.protected', reason: 'a wildcard that may reach a protected folder', subject };
  if (finalAsk === 'allow' || classified !== undefined) {
    addMatch(judgement, { layer: 'hard-deny', effect: 'deny', ...match });
  } else {
    addMatch(judgement, { layer: 'ask', effect: 'ask', ...match });
  }
}

function denyFiles(judgement: Judgement, folder: string): void {
  for (const { use, lexical, real } of judgement.paths) {
    if (touches(lexical, folder, use) || (real !== lexical && touches(real, folder, use)))
      denyFolder(judgement, use.text);
  }
}

function denyWords(judgement: Judgement, plan: ShellPlan, folder: string): void {
  const isNear = nearness(folder);
  for (const call of plan.calls) {
    const word = protectedWord(call, folder, isNear);
    if (word !== null) denyFolder(judgement, word);
  }
}

/** Does a folder hold the protected one? Nearly all commands of a line run in the same folder, so the last answer is kept. */
function nearness(folder: string): (cwd: string | null) => boolean {
  let known: string | null = null;
  let near = false;
  return (cwd) => {
    if (cwd !== known) near = cwd !== null && isInside(folder, canonicalPath(cwd)?.toLowerCase() ?? '');
    known = cwd;
    return near;
  };
}

/** Wildcards of which nobody knows what they become; what they surely lie in is judged like any other path. */
function askWildPaths(judgement: Judgement, folder: string): void {
  for (const { use, real } of judgement.paths) {
    if (use.glob === null) continue;
    const starts = real === null ? [use.glob] : [use.glob, fromRealFolder(use.glob, real)];
    if (starts.some((glob) => globMayReach(glob, folder))) addWild(judgement, use.text);
  }
}

function askWildWords(judgement: Judgement, plan: ShellPlan, folder: string): void {
  const place = { folder, home: judgement.home };
  for (const call of plan.calls) {
    for (const word of call.args) {
      if (word.literal || !wordMayReach(call, word, place)) continue;
      addWild(judgement, word.text);
      break;
    }
  }
}

/** Any wildcard of any program, also where the program is not known to take files. */
function wordMayReach(call: ShellCall, word: ShellWord, place: { folder: string; home: string | null }): boolean {
  if (!word.pieces.some((piece) => piece.kind === 'glob' || piece.kind === 'brace')) return false;
  return pathsOfWord(word, place.home).some((path) => {
    if (path === null || !hasGlob(path)) return false;
    return (call.cwds ?? NOWHERE).some((cwd) => {
      const glob = joinGiven(cwd === null ? null : escapeGlob(cwd), path);
      return glob !== null && globMayReach(glob, place.folder);
    });
  });
}

/** What a program may write anywhere below a folder says nothing of the one folder in it that is protected. */
function touches(path: string | null, folder: string, { recursive, origin }: PathUse): boolean {
  if (path === null) return false;
  const folded = foldedPath(path);
  return isInside(folded, folder) || (recursive && origin !== 'guess' && isInside(folder, folded));
}

/** Any word of any program may be a path, also where the program is not known to take one. */
function protectedWord(call: ShellCall, folder: string, isNear: (cwd: string | null) => boolean): string | null {
  for (const cwd of call.cwds ?? NOWHERE) {
    const near = isNear(cwd);
    for (const { value, text } of call.args) {
      if ((near || value.includes('/')) && leadsInto(cwd, value, folder)) return text;
    }
  }
  return null;
}

const NOWHERE: readonly null[] = [null];

function leadsInto(cwd: string | null, given: string, folder: string): boolean {
  const path = joinGiven(cwd, given);
  const canonical = path === null ? null : canonicalPath(path);
  return canonical !== null && isInside(canonical.toLowerCase(), folder);
}

interface JudgedDanger {
  readonly danger: Danger;
  readonly effect: Effect;
}

const known = new WeakMap<PresetData['dangers'], readonly JudgedDanger[]>();

/** The dangers that the preset judges, in the order of their table. Remembered per preset, which is never changed. */
function judgedDangers(dangers: PresetData['dangers']): readonly JudgedDanger[] {
  const old = known.get(dangers);
  if (old !== undefined) return old;
  const out: JudgedDanger[] = [];
  for (const danger of DANGERS) {
    const effect = dangers[danger.family] ?? null;
    if (effect !== null) out.push({ danger, effect });
  }
  known.set(dangers, out);
  return out;
}

function denyDangers(judgement: Judgement): void {
  const scene = dangerScene(judgement);
  if (scene === null) return;
  const judged = judgedDangers(judgement.policy.preset.dangers);
  for (const call of scene.plan.calls) {
    for (const { danger, effect } of judged) {
      if (!danger.test(call, scene)) continue;
      const layer = effect === 'deny' ? 'hard-deny' : 'ask';
      const ruleId = `command.${danger.family.replaceAll('-', '_')}`;
      addMatch(judgement, { layer, effect, ruleId, reason: danger.reason, subject: call.source });
    }
  }
}
