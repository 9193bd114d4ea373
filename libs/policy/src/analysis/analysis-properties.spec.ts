import { MODES, type Effect, type PolicyDocument } from '@countersign/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compilePolicy, type CompiledPolicy } from '../policy/compile.js';
import { analysePolicy } from './analyse-policy.js';
import type { Finding } from './finding.js';
import { calls, documentOf, policies } from './policy-calls.fixture.js';
import { judgeSample, sceneOf } from './scene.js';

const CONTEXT = { roots: ['/work/app'], cwd: '/work/app', home: '/home/dev' };
const SCENE = sceneOf(CONTEXT);

function compiled(document: PolicyDocument): CompiledPolicy {
  const result = compilePolicy(document);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.policy;
}

function withoutPlaces(document: PolicyDocument, findings: readonly Finding[]): PolicyDocument {
  const places = new Set(findings.map((finding) => finding.place));
  const keep = (effect: Effect) => document[effect].filter((_, at) => !places.has(`${effect}.${String(at)}`));
  return { ...document, deny: keep('deny'), ask: keep('ask'), allow: keep('allow') };
}

describe('what is called idle', () => {
  const sure = (finding: Finding): boolean => finding.grade === 'confirmed';

  it('may be left out all together when it is redundant', () => {
    fc.assert(
      fc.property(policies, fc.array(calls, { minLength: 1, maxLength: 8 }), fc.constantFrom(...MODES), (input, samples, mode) => {
        const document = documentOf(input);
        const redundant = analysePolicy(document, CONTEXT).filter((one) => sure(one) && one.kind === 'redundant');
        const [before, after] = [compiled(document), compiled(withoutPlaces(document, redundant))];
        for (const sample of samples) {
          expect(judgeSample(SCENE, after, sample, mode).effect).toBe(judgeSample(SCENE, before, sample, mode).effect);
        }
      }),
      { numRuns: 250 },
    );
  });

  it('may be left out one by one when it is shadowed', () => {
    fc.assert(
      fc.property(policies, fc.array(calls, { minLength: 1, maxLength: 8 }), fc.constantFrom(...MODES), (input, samples, mode) => {
        const document = documentOf(input);
        const before = compiled(document);
        for (const finding of analysePolicy(document, CONTEXT).filter((one) => sure(one) && one.kind === 'shadowed')) {
          const after = compiled(withoutPlaces(document, [finding]));
          for (const sample of samples) {
            expect(judgeSample(SCENE, after, sample, mode).effect).toBe(judgeSample(SCENE, before, sample, mode).effect);
          }
        }
      }),
      { numRuns: 250 },
    );
  });
});

describe('every finding', () => {
  it('has a witness that the engine judges as it says', () => {
    fc.assert(
      fc.property(policies, (input) => {
        const document = documentOf(input);
        const policy = compiled(document);
        for (const { witness } of analysePolicy(document, CONTEXT)) {
          expect(witness).not.toBeNull();
          const verdict = judgeSample(SCENE, policy, witness!, document.mode);
          expect([verdict.effect, verdict.ruleId]).toEqual([witness?.effect, witness?.decidedBy]);
        }
      }),
      { numRuns: 250 },
    );
  });

  it('is the same for a document and for its compiled form', () => {
    fc.assert(
      fc.property(policies, (input) => {
        const document = documentOf(input);
        expect(analysePolicy(compiled(document), CONTEXT)).toEqual(analysePolicy(document, CONTEXT));
      }),
      { numRuns: 50 },
    );
  });
});
