import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { checkPredicate } from './check-predicate.js';
import { holds, type ArgumentPredicate } from './predicate.js';

describe('holds', () => {
  it.each<[ArgumentPredicate, unknown, boolean]>([
    [{ arg: 'mode', equals: 'read' }, { mode: 'read' }, true],
    [{ arg: 'mode', equals: 'read' }, { mode: 'write' }, false],
    [{ arg: 'mode', equals: 'read' }, {}, false],
    [{ arg: 'mode', equals: null }, {}, false],
    [{ arg: 'mode', equals: null }, { mode: null }, true],
    [{ arg: 'n', oneOf: [1, 2] }, { n: 2 }, true],
    [{ arg: 'n', oneOf: [1, 2] }, { n: '2' }, false],
    [{ arg: 'path', matches: 'docs/.*' }, { path: 'docs/a' }, true],
    [{ arg: 'path', matches: 'docs/.*' }, { path: 'src/docs/a' }, false],
    [{ arg: 'path', matches: '(' }, { path: '(' }, false],
    [{ arg: 'edits[].kind', equals: 'read' }, { edits: [{ kind: 'read' }, { kind: 'read' }] }, true],
    [{ arg: 'edits[].kind', equals: 'read' }, { edits: [{ kind: 'read' }, { kind: 'write' }] }, false],
    [{ arg: 'edits[].kind', equals: 'read' }, { edits: [{ kind: 'read' }, {}] }, false],
    [{ arg: 'edits[].kind', equals: 'read' }, { edits: [] }, false],
    [{ arg: 'force', absent: true }, {}, true],
    [{ arg: 'force', absent: true }, { force: false }, false],
    [{ arg: 'a..b', absent: true }, {}, false],
    [
      {
        all: [
          { arg: 'a', equals: 1 },
          { arg: 'b', equals: 2 },
        ],
      },
      { a: 1, b: 2 },
      true,
    ],
    [
      {
        all: [
          { arg: 'a', equals: 1 },
          { arg: 'b', equals: 2 },
        ],
      },
      { a: 1 },
      false,
    ],
    [{ all: [] }, {}, false],
    [
      {
        any: [
          { arg: 'a', equals: 1 },
          { arg: 'b', equals: 2 },
        ],
      },
      { b: 2 },
      true,
    ],
    [{ any: [] }, {}, false],
    [{ arg: 'a', equals: 1 }, null, false],
    [{ arg: 'a', equals: 1 }, [1], false],
    [{ arg: 'toString', absent: true }, {}, true],
  ])('%j of %j: %s', (predicate, args, expected) => {
    expect(holds(predicate, args)).toBe(expected);
  });

  it.each<[string, boolean]>([
    ['ls -la', true],
    ['git status && git log --oneline | head -3', true],
    ['grep -r x src 2>/dev/null', true],
    ['cat a > b', false],
    ['rm a', false],
    ['ls; rm a', false],
    ['echo $(rm a)', false],
    ['find . -delete', false],
    ['PATH=. ls', false],
    ['if', false],
    ['', false],
    ['./ls', false],
    ['sh -c "rm a"', false],
  ])('readOnlyShell of %j: %s', (command, expected) => {
    expect(holds({ arg: 'command', readOnlyShell: true }, { command })).toBe(expected);
  });

  it('is total, whatever was written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (predicate, args) => {
        if (checkPredicate(predicate).length > 0) return;
        expect(typeof holds(predicate as unknown as ArgumentPredicate, args)).toBe('boolean');
      }),
    );
  });
});

describe('checkPredicate', () => {
  it.each<[unknown]>([
    [{ arg: 'command', readOnlyShell: true }],
    [{ all: [{ arg: 'a', equals: 1 }, { any: [{ arg: 'b[]', oneOf: ['x'] }] }] }],
    [{ arg: 'a', matches: '^x$' }],
  ])('takes %j', (predicate) => {
    expect(checkPredicate(predicate)).toEqual([]);
  });

  it.each<[unknown, string]>([
    [null, ''],
    [{}, ''],
    [{ arg: 'a' }, ''],
    [{ arg: 'a', equals: 1, oneOf: [1] }, ''],
    [{ equals: 1 }, 'arg'],
    [{ arg: 'a[', equals: 1 }, 'arg'],
    [{ arg: 'a', equals: {} }, 'equals'],
    [{ arg: 'a', oneOf: [] }, 'oneOf'],
    [{ arg: 'a', matches: '(?!x)' }, 'matches'],
    [{ arg: 'a', readOnlyShell: false }, 'readOnlyShell'],
    [{ arg: 'a', not: 1 }, 'not'],
    [{ all: [] }, 'all'],
    [{ arg: 'a', all: [{ arg: 'a', equals: 1 }] }, 'all'],
    [
      {
        any: [
          { arg: 'a', equals: 1 },
          { arg: 'a', equal: 1 },
        ],
      },
      'any.1.equal',
    ],
  ])('finds the flaw of %j', (predicate, path) => {
    expect(checkPredicate(predicate).map((problem) => problem.path)).toEqual([path]);
  });

  it('refuses what is endless', () => {
    const loop: { all: unknown[] } = { all: [] };
    loop.all.push(loop);
    expect(checkPredicate(loop)).toEqual([{ path: '', message: 'too many conditions' }]);
    const wide = { any: new Array<unknown>(200).fill({ arg: 'a', equals: 1 }) };
    expect(checkPredicate(wide)).toHaveLength(1);
  });
});
