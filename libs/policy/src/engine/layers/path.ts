/** Layer 4: files must lie inside the roots, both as written and as they really are. */
import { isInside } from '../../paths/normalise.js';
import { isHarmlessDevice } from '../../paths/sensitive.js';
import { pathRule } from '../coverage.js';
import { hasParent, type JudgedPath } from '../evidence.js';
import { addMatch, type Judgement } from '../judgement.js';

export function pathLayer(judgement: Judgement): void {
  for (const path of judgement.paths) {
    if (!isLookedAt(judgement, path)) continue;
    if (path.lexical === null || !isHarmlessDevice(path.lexical)) scope(judgement, path);
  }
}

const SCOPES = { argument: 'arguments', redirect: 'redirects', operand: 'operands' } as const;

function isLookedAt(judgement: Judgement, { use }: JudgedPath): boolean {
  if (use.origin === 'guess') return false;
  const scope = judgement.policy.preset.paths[SCOPES[use.origin]];
  return scope === 'all' || (scope === 'write' && use.access === 'write');
}

function scope(judgement: Judgement, path: JudgedPath): void {
  const { preset } = judgement.policy;
  const { unresolvable, missingTarget } = preset.paths;
  const subject = path.use.text;
  refuseText(judgement, path);
  if (path.absent && missingTarget === 'parent' && !hasParent(path, judgement.facts)) {
    const reason = 'neither the file nor its folder exists';
    addMatch(judgement, { layer: 'path', effect: unresolvable, ruleId: 'path.unresolvable', reason, subject });
    return;
  }
  switch (path.state) {
    case 'unknowable':
      addMatch(judgement, {
        layer: 'path',
        effect: unresolvable,
        ruleId: 'path.unknown',
        reason: 'a path that is known only when it runs',
        subject,
      });
      return;
    case 'failed':
      addMatch(judgement, {
        layer: 'path',
        effect: unresolvable,
        ruleId: 'path.unresolvable',
        reason: 'the real path could not be found',
        subject,
      });
      return;
    case 'missing':
      addMatch(judgement, {
        layer: 'path',
        effect: preset.missingEvidence,
        ruleId: 'path.no_evidence',
        reason: 'nobody said where the path really leads',
        subject,
      });
      break;
    case 'known':
      break;
  }
  if (isInScope(judgement, path)) return;
  if (preset.paths.rulesWiden && judgement.ruleSets.some((set) => pathRule(judgement, set.allow, path) !== null))
    return;
  addMatch(judgement, {
    layer: 'path',
    effect: preset.outsideRoots,
    ruleId: 'path.outside_roots',
    reason: 'outside of the allowed folders',
    subject,
  });
}

/** Some presets refuse texts that only a path which means something else would hold. */
function refuseText(judgement: Judgement, { use }: JudgedPath): void {
  const { paths, outsideRoots } = judgement.policy.preset;
  if (use.origin !== 'argument') return;
  const found =
    paths.refusedTexts.length === 0 ? undefined : paths.refusedTexts.find((text) => use.text.includes(text));
  if (found === undefined) return;
  const reason = `paths that hold \`${found}\` are refused`;
  addMatch(judgement, { layer: 'path', effect: outsideRoots, ruleId: 'path.traversal', reason, subject: use.text });
}

function isInScope(judgement: Judgement, { lexical, real }: JudgedPath): boolean {
  if (judgement.policy.preset.paths.inside === 'target' && real !== null) return inRoots(judgement, real);
  return inRoots(judgement, lexical) && (real === null || real === lexical || inRoots(judgement, real));
}

function inRoots(judgement: Judgement, path: string | null): boolean {
  if (path === null) return false;
  for (const root of judgement.roots) if (isInside(path, root)) return true;
  return false;
}
