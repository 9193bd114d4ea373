import { MODES, PRESETS, type Effect, type PolicyDocument, type PolicyInput } from '@countersign/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compilePolicy, type CompiledPolicy } from '../policy/compile.js';
import { presetData } from '../policy/presets/index.js';
import { analysePolicy } from './analyse-policy.js';
import type { Finding } from './finding.js';
import { CALLS, documentOf, RULES } from './policy-pool.fixture.js';
import { judgeSample, sceneOf } from './scene.js';
import { runsOf } from '../property-runs.fixture.js';

const CONTEXT = { roots: ['/work/app'], cwd: '/work/app', home: '/home/dev' };
const SCENE = sceneOf(CONTEXT);

const calls = fc.constantFrom(...CALLS);
const rules = fc.array(fc.constantFrom(...RULES), { maxLength: 6 });
const policies: fc.Arbitrary<PolicyInput> = fc.record({ deny: rules, ask: rules, allow: rules });

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
      fc.property(
        policies,
        fc.array(calls, { minLength: 1, maxLength: 8 }),
        fc.constantFrom(...MODES),
        (input, samples, mode) => {
          const document = documentOf(input);
          const redundant = analysePolicy(document, CONTEXT).filter((one) => sure(one) && one.kind === 'redundant');
          const [before, after] = [compiled(document), compiled(withoutPlaces(document, redundant))];
          for (const sample of samples) {
            expect(judgeSample(SCENE, after, sample, mode).effect).toBe(
              judgeSample(SCENE, before, sample, mode).effect,
            );
          }
        },
      ),
      { numRuns: runsOf(80) },
    );
  });

  it('may be left out one by one when it is shadowed', () => {
    fc.assert(
      fc.property(
        policies,
        fc.array(calls, { minLength: 1, maxLength: 8 }),
        fc.constantFrom(...MODES),
        (input, samples, mode) => {
          const document = documentOf(input);
          const before = compiled(document);
          for (const finding of analysePolicy(document, CONTEXT).filter(
            (one) => sure(one) && one.kind === 'shadowed',
          )) {
            const after = compiled(withoutPlaces(document, [finding]));
            for (const sample of samples) {
              expect(judgeSample(SCENE, after, sample, mode).effect).toBe(
                judgeSample(SCENE, before, sample, mode).effect,
              );
            }
          }
        },
      ),
      { numRuns: runsOf(80) },
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
      { numRuns: runsOf(80) },
    );
  });

  it('is the same for a document and for its compiled form', () => {
    fc.assert(
      fc.property(policies, (input) => {
        const document = documentOf(input);
        expect(analysePolicy(compiled(document), CONTEXT)).toEqual(analysePolicy(document, CONTEXT));
      }),
      { numRuns: runsOf(50) },
    );
  });
});

describe.each(PRESETS.filter((preset) => presetData(preset) !== undefined))('under preset %s', (preset) => {
  const own = presetData(preset);
  const documents = policies.map((input) =>
    documentOf({
      ...input,
      preset,
      mode: own?.legalModes[0] ?? 'default',
      ...(own?.allowRules === false ? { allow: [] } : {}),
    }),
  );

  it('every finding has a witness that the engine judges as it says', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const policy = compiled(document);
        for (const { witness } of analysePolicy(document, CONTEXT)) {
          const verdict = judgeSample(SCENE, policy, witness!, document.mode);
          expect([verdict.effect, verdict.ruleId]).toEqual([witness?.effect, witness?.decidedBy]);
        }
      }),
      { numRuns: runsOf(25) },
    );
  });

  it('what is surely redundant may be left out', () => {
    fc.assert(
      fc.property(documents, fc.array(calls, { minLength: 1, maxLength: 8 }), (document, samples) => {
        const redundant = analysePolicy(document, CONTEXT).filter(
          (one) => one.grade === 'confirmed' && one.kind === 'redundant',
        );
        const [before, after] = [compiled(document), compiled(withoutPlaces(document, redundant))];
        for (const sample of samples) {
          expect(judgeSample(SCENE, after, sample, document.mode).effect).toBe(
            judgeSample(SCENE, before, sample, document.mode).effect,
          );
        }
      }),
      { numRuns: runsOf(30) },
    );
  });
});
