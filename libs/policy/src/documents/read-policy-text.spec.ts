/** Policy texts: places, suggestions, bounds, and the same document out of every format. */
import { describe, expect, it } from '@jest/globals';
import { policyDocumentSchema, type PolicyInput } from '@countersign/contracts';
import fc from 'fast-check';
import { formatPolicyProblem, policyFormatOf, readPolicyText, type PolicyFormat } from './read-policy-text.js';
import { writePolicyText } from './write-policy-text.js';

const FORMATS: PolicyFormat[] = ['yaml', 'json', 'toml'];

function problemsOf(text: string, format: PolicyFormat): string[] {
  const result = readPolicyText(text, format, 'p');
  return result.ok ? [] : result.problems.map(formatPolicyProblem);
}

describe('places and suggestions', () => {
  const rows: [string, PolicyFormat, string, string[]][] = [
    ['unknown key', 'yaml', 'alow:\n  - Bash\n', ['p:1:1: alow: unknown key `alow` (did you mean `allow`?)']],
    ['unknown key, json', 'json', '{\n  "mod": "plan"\n}', ['p:2:3: mod: unknown key `mod` (did you mean `mode`?)']],
    [
      'unknown key, toml',
      'toml',
      'mode = "plan"\n\n[ask_timeout]\nafter = 3\n',
      ['p:3:1: ask_timeout: unknown key `ask_timeout` (did you mean `askTimeout`?)'],
    ],
    ['nothing near', 'yaml', 'colour: red', ['p:1:1: colour: unknown key `colour`']],
    [
      'enum',
      'yaml',
      'mode: acceptedits',
      [
        'p:1:7: mode: `acceptedits` is none of `default`, `acceptEdits`, `plan`, `dontAsk`, `bypassPermissions`, `auto`, `custom` (did you mean `acceptEdits`?)',
      ],
    ],
    [
      'enum in a list',
      'json',
      '{"agentModes": ["plan",\n "pln"]}',
      [
        'p:2:2: agentModes[1]: `pln` is none of `default`, `acceptEdits`, `plan`, `dontAsk`, `bypassPermissions`, `auto`, `custom` (did you mean `plan`?)',
      ],
    ],
    [
      'unknown tools never allow',
      'toml',
      'unknownTool = "allow"',
      ['p:1:1: unknownTool: `allow` is none of `ask`, `deny`'],
    ],
    [
      'time-outs never allow',
      'yaml',
      'askTimeout:\n  after: 5\n  outcome: allow',
      ['p:3:12: askTimeout.outcome: `allow` is none of `deny`, `park`'],
    ],
    [
      'rule key',
      'yaml',
      'deny:\n  - rule: Bash\n    resaon: no',
      ['p:3:5: deny[0].resaon: unknown key `resaon` (did you mean `reason`?)'],
    ],
    [
      'rule key, toml',
      'toml',
      '[[deny]]\nrule = "Bash"\n[[deny]]\nrule = "Edit"\nnotmatch = ["x"]',
      ['p:5:1: deny[1].notmatch: unknown key `notmatch` (did you mean `notMatch`?)'],
    ],
    ['rule without pattern', 'json', '{"deny": [{"reason": "x"}]}', ['p:1:11: deny[0].rule: `rule` is missing']],
    [
      'rule of wrong kind',
      'yaml',
      'allow:\n  - 7',
      ['p:2:5: allow[0]: expected a rule, as text or as a table with `rule`, found `7`'],
    ],
    ['rule item, toml', 'toml', 'allow = [\n  "Bash",\n  "",\n]', ['p:3:3: allow[1]: the text is empty']],
    ['list expected', 'yaml', 'deny: Bash', ['p:1:7: deny: expected a list, found `Bash`']],
    ['number', 'yaml', 'holdSeconds: soon', ['p:1:14: holdSeconds: expected a number, found `soon`']],
    ['whole number', 'json', '{"holdSeconds": 1.5}', ['p:1:17: holdSeconds: expected a whole number, found `1.5`']],
    ['bounds', 'toml', 'holdSeconds = 9999', ['p:1:1: holdSeconds: expected at most 3500, found `9999`']],
    ['more than', 'yaml', 'holdSeconds: 0', ['p:1:14: holdSeconds: expected more than 0, found `0`']],
    [
      'boolean',
      'yaml',
      'passAsk: yes',
      ['p:1:10: passAsk: expected `true` or `false`, found `yes` (did you mean `true`?)'],
    ],
    ['missing field', 'yaml', 'breaker:\n  inARow: 1\n  total: 2', ['p:1:1: breaker.counts: `counts` is missing']],
    ['not a table', 'yaml', '- a', ['p:1:1: expected a table, found a list']],
    [
      'two at once, in order',
      'yaml',
      'mode: x\nfoo: 1',
      [
        'p:1:7: mode: `x` is none of `default`, `acceptEdits`, `plan`, `dontAsk`, `bypassPermissions`, `auto`, `custom`',
        'p:2:1: foo: unknown key `foo`',
      ],
    ],
    ['duplicate key, yaml', 'yaml', 'mode: plan\nmode: auto', ['p:2:1: the key `mode` stands twice']],
    ['duplicate key, json', 'json', '{"mode": "plan",\n "mode": "auto"}', ['p:2:2: the key `mode` stands twice']],
    ['duplicate key, toml', 'toml', 'mode = "plan"\nmode = "auto"', ['p:2:1: the key or table stands twice']],
    ['custom tag', 'yaml', 'mode: !js plan', ['p:1:7: tags of your own are not allowed']],
    ['two documents', 'yaml', 'mode: plan\n---\nmode: auto', ['p:2:1: only one document may stand in the file']],
    ['merge key', 'yaml', 'x: &a {b: 1}\n<<: *a', ['p:2:1: merge keys are not supported']],
    ['number as key', 'yaml', '1: 2', ['p:1:1: every key must be text']],
    ['tab', 'yaml', 'a:\n\tb: 1', ['p:2:1: indent with spaces, not with tabs']],
    ['trailing comma', 'json', '{"deny": [],}', ['p:1:13: no comma may stand before a closing bracket']],
    ['comment in json', 'json', '// hi\n{}', ['p:1:1: expected a value, found `//`']],
    [
      'open string',
      'json',
      '{"deny": ["x]}',
      ['p:1:11: the string is not closed, or holds a bad escape or a control character'],
    ],
    ['empty json', 'json', '', ['p:1:1: the text ends where a value is expected']],
    ['prototype, json', 'json', '{"__proto__": {}}', ['p:1:2: `__proto__` is no usable key']],
    ['prototype, yaml', 'yaml', 'options:\n  __proto__: 1', ['p:2:3: `__proto__` is no usable key']],
    ['prototype, toml', 'toml', '[options]\n__proto__ = 1', ['p:2:1: `__proto__` is no usable key']],
    ['infinity', 'toml', 'holdSeconds = inf', ['p:1:1: the value `Infinity` is not allowed']],
    ['toml syntax', 'toml', 'mode = plan', ['p:1:8: not valid TOML: invalid value']],
  ];
  it.each(rows)('%s', (_name, format, text, expected) => {
    expect(problemsOf(text, format)).toEqual(expected);
  });
});

describe('what is read', () => {
  it('fills defaults in, and takes an empty text as the empty policy', () => {
    for (const format of ['yaml', 'toml'] as const) {
      const result = readPolicyText(' \n', format, 'p');
      expect(result).toEqual({ ok: true, document: policyDocumentSchema.parse({}), warnings: [] });
    }
    expect(readPolicyText('# only a comment\n', 'yaml', 'p').ok).toBe(true);
    expect(readPolicyText('{}', 'json', 'p').ok).toBe(true);
  });
  it('expands an alias', () => {
    const result = readPolicyText('deny: &a [Bash]\nask: *a', 'yaml', 'p');
    expect(result.ok && result.document.ask).toEqual(['Bash']);
  });
  it('warns of a rule that stands twice or is shut out', () => {
    const result = readPolicyText('deny: [A, A]\nallow: [A]', 'yaml', 'p');
    expect(result.ok && result.warnings.map(formatPolicyProblem)).toEqual([
      'p:1:11: deny[1]: the rule `A` stands twice in `deny`',
      'p:2:9: allow[0]: the rule `A` stands also in `deny`, which is stricter',
    ]);
  });
  it('knows a format by the name of the file', () => {
    expect(['a.yml', 'b.YAML', 'c.toml', 'd.json', 'e.txt', 'f'].map(policyFormatOf)).toEqual([
      'yaml',
      'yaml',
      'toml',
      'json',
      undefined,
      undefined,
    ]);
  });
});

describe('hostile texts', () => {
  const laughs = Array.from(
    { length: 12 },
    (_, i) => `a${String(i + 1)}: &a${String(i + 1)} [${`*a${String(i)},`.repeat(10)}]`,
  );
  const rows: [string, PolicyFormat, string][] = [
    ['billion laughs', 'yaml', `a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n${laughs.join('\n')}\n`],
    ['alias inside itself', 'yaml', 'a: &a [*a]'],
    ['deep flow', 'yaml', '['.repeat(100_000)],
    ['deep block', 'yaml', `${'- '.repeat(50_000)}x`],
    ['deep maps', 'yaml', Array.from({ length: 700 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    ['deep complex keys', 'yaml', '? '.repeat(50_000)],
    ['deep json', 'json', '['.repeat(500_000)],
    ['deep json tables', 'json', '{"a":'.repeat(100_000)],
    ['deep toml', 'toml', `a = ${'['.repeat(100_000)}`],
    ['deep toml headers', 'toml', `[${'a.'.repeat(50_000)}a]`],
    ['deep toml keys', 'toml', `${'a.'.repeat(50_000)}a = 1`],
    ['too long', 'yaml', 'x'.repeat(1024 * 1024 + 1)],
    ['many values', 'json', `[${'1,'.repeat(200_000)}1]`],
    ['many quotes', 'toml', '"'.repeat(500_000)],
    ['many anchors', 'yaml', '&a '.repeat(100_000)],
    ['many stars', 'yaml', '*a '.repeat(100_000)],
    ['many keys', 'yaml', Array.from({ length: 90_000 }, (_, i) => `k${String(i)}: 1`).join('\n')],
    ['many keys, json', 'json', `{${Array.from({ length: 70_000 }, (_, i) => `"k${String(i)}": 1`).join(',')}}`],
    ['many keys, toml', 'toml', Array.from({ length: 70_000 }, (_, i) => `k${String(i)} = 1`).join('\n')],
    ['many tables, toml', 'toml', '[[deny]]\nx=1\n'.repeat(60_000)],
    ['many bad rules', 'json', `{"deny": [${'7,'.repeat(90_000)}7]}`],
    ['many rules twice', 'yaml', `deny: [${'A,'.repeat(99_000)}7]`],
    ['a long key', 'yaml', `? ${'k'.repeat(900_000)}\n: 1`],
    ['long folded text', 'yaml', `a: >\n${'  x\n\n'.repeat(200_000)}`],
    ['NUL', 'yaml', 'a: \u0000'],
    ['lone surrogate', 'json', '"\ud800"'],
    ['long string with a bad end', 'json', `{"a": "${'\\u0041'.repeat(100_000)}`],
  ];
  it.each(rows)(
    '%s is refused, and soon',
    (_name, format, text) => {
      expect(readPolicyText(text, format, 'p').ok).toBe(false);
    },
    3_000,
  );
});

describe('properties', () => {
  it('reading never throws', () => {
    const pieces = fc.constantFrom(
      'deny',
      'allow',
      ':',
      '=',
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      '\n',
      ' ',
      '- ',
      '&a',
      '*a',
      '!x',
      '|',
      '>',
      '#',
      ',',
      '.',
      '\\',
      '\t',
      '"""',
      '__proto__',
      '\u0000',
      '%',
      '@',
      '?',
      '1e999',
      '0x',
      '12:00',
    );
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(anyText, fc.constantFrom(...FORMATS), (text, format) => {
        const result = readPolicyText(text, format, 'p');
        if (result.ok) policyDocumentSchema.parse(result.document);
        else for (const problem of result.problems) expect(problem.line >= 1 && problem.column >= 1).toBe(true);
      }),
      { numRuns: 1_500 },
    );
  });

  const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });
  const rule = fc.oneof(
    words,
    fc.record(
      { rule: words, id: words, reason: fc.string(), order: fc.integer(), match: fc.array(words, { maxLength: 3 }) },
      { requiredKeys: ['rule'] },
    ),
  );
  // Only TOML and YAML tell -0 from 0.
  const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
  const scalar = fc.oneof(fc.string(), fc.boolean(), fc.integer(), number);
  const key = fc.string({ minLength: 1 }).filter((name) => name !== '__proto__' && name !== '<<');
  const policy = fc.record(
    {
      preset: fc.constantFrom('standard' as const, 'claude-code' as const),
      mode: fc.constantFrom('default' as const, 'plan' as const),
      deny: fc.array(rule, { maxLength: 4 }),
      allow: fc.array(rule, { maxLength: 4 }),
      passAsk: fc.boolean(),
      holdSeconds: fc.integer({ min: 1, max: 3_500 }),
      roots: fc.array(fc.string(), { maxLength: 3 }),
      askTimeout: fc.record({
        after: fc.integer({ min: 1, max: 9_999 }),
        outcome: fc.constantFrom('deny' as const, 'park' as const),
      }),
      options: fc.dictionary(key, fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.dictionary(key, scalar)), {
        maxKeys: 4,
      }),
    },
    { requiredKeys: [] },
  );
  it('a document written in any format is read back as the same document', () => {
    fc.assert(
      fc.property(policy, fc.constantFrom(...FORMATS), (input, format) => {
        const wanted = JSON.parse(JSON.stringify(policyDocumentSchema.parse(input))) as PolicyInput;
        const result = readPolicyText(writePolicyText(input as PolicyInput, format), format, 'p');
        expect(result.ok ? result.document : result.problems).toEqual(wanted);
      }),
      { numRuns: 600 },
    );
  });

  it('fills in what the preset of the text sets', () => {
    const read = readPolicyText('preset: astro-research\n', 'yaml', 'p.yaml');
    expect(read.ok && read.document.askTimeout.after).toBe(120);
  });
});
