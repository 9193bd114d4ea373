/** Every form of a rule that `docs/rules.md` shows does what it says there. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { PolicyInput } from '@countersign/contracts';
import { compilePolicy } from '../policy/compile.js';
import { parsePolicyDocument } from '../policy/parse-document.js';
import { readPolicyText } from '../documents/read-policy-text.js';

const DOCUMENT = readFileSync(new URL('../../../../docs/rules.md', import.meta.url), 'utf8');
const FORMS = [...DOCUMENT.matchAll(/^\| `(.+?)` \| .*? \| `(.+?)` \| `(.+?)` \|$/gm)].map(
  ([, rule = '', match = '', notMatch = '']): [string, string, string] => [
    rule.replaceAll('\\|', '|'),
    match,
    notMatch,
  ],
);
const EXAMPLES = [...DOCUMENT.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text);

function problemsOf(input: PolicyInput): unknown {
  const parsed = parsePolicyDocument(input);
  if (!parsed.ok) return parsed.problems;
  const compiled = compilePolicy(parsed.document);
  return compiled.ok ? compiled.policy.warnings : compiled.problems;
}

describe('docs/rules.md', () => {
  it('shows all forms', () => {
    expect(FORMS.length).toBe(18);
    expect(EXAMPLES.length).toBe(2);
  });

  it.each(FORMS)('%s matches %s and not %s', (rule, match, notMatch) => {
    const checked = { rule, match: [match], notMatch: [notMatch] };
    expect(problemsOf({ deny: [checked] })).toEqual([]);
    expect(problemsOf({ ask: [checked] })).toEqual([]);
  });

  it.each(EXAMPLES)('has examples that can be read: %#', (text) => {
    const read = readPolicyText(text, 'yaml', 'rules.md');
    expect(read.ok ? problemsOf(read.document) : read.problems).toEqual([]);
  });
});
