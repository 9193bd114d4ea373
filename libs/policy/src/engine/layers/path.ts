/** Layer 4: files must lie inside the roots, both as written and as they really are. */
import { isInside } from '../../paths/normalise.js';
import { isHarmlessDevice } from '../../paths/sensitive.js';
import { pathRule } from '../coverage.js';
import type { JudgedPath } from '../evidence.js';
import { addMatch, type Judgement } from '../judgement.js';

export function pathLayer(judgement: Judgement): void {
  for (const path of judgement.paths) {
    if (path.use.origin === 'guess') continue;
    if (path.lexical === null || !isHarmlessDevice(path.lexical)) scope(judgement, path);
  }
}

function scope(judgement: Judgement, path: JudgedPath): void {
  const { preset } = judgement.policy;
  const subject = path.use.text;
  switch (path.state) {
    case 'unknowable':
      addMatch(judgement, {
        layer: 'path',
        effect: 'ask',
        ruleId: 'path.unknown',
        reason: 'a path that is known only when it runs',
        subject,
      });
      return;
    case 'failed':
      addMatch(judgement, {
        layer: 'path',
        effect: 'ask',
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
  if (inRoots(judgement, path.lexical) && (path.real === null || inRoots(judgement, path.real))) return;
  if (judgement.ruleSets.some((set) => pathRule(judgement, set.allow, path) !== null)) return;
  addMatch(judgement, {
    layer: 'path',
    effect: preset.outsideRoots,
    ruleId: 'path.outside_roots',
    reason: 'outside of the allowed folders',
    subject,
  });
}

function inRoots(judgement: Judgement, path: string | null): boolean {
  return path !== null && judgement.roots.some((root) => isInside(path, root));
}
