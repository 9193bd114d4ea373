import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { foldedHead } from '../paths/folded-segments.js';
import type { CompiledRule } from './compiled-rule.js';
import { addToFolders, emptyFolders, forFolderRules, forReachedRules, sortFolders } from './folder-rules.js';
import { compilePathPattern } from './path-pattern.js';

const ruleOf = (pattern: string): CompiledRule => {
  const path = compilePathPattern(pattern);
  if (path === null) throw new Error(pattern);
  const rule = {
    id: pattern,
    effect: 'deny',
    pattern,
    source: 'user',
    reason: '',
    order: 0,
    match: [],
    notMatch: [],
  } as const;
  return {
    rule: { ...rule, match: [], notMatch: [] },
    tool: { kind: 'name', name: 'Read' },
    spec: { kind: 'path', path },
  };
};

const indexed = (patterns: readonly string[]): ReturnType<typeof emptyFolders> => {
  const rules = emptyFolders();
  patterns.forEach((pattern, place) => addToFolders(rules, ruleOf(pattern), place));
  sortFolders(rules);
  return rules;
};

const inside = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
const names = fc.constantFrom('a', 'A', 'b', 'a-b', 'a.b');
const folders = fc.array(names, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`);

describe('rules by folder', () => {
  it('are found for every path that lies in the folder or is it', () => {
    fc.assert(
      fc.property(fc.array(folders, { maxLength: 8 }), folders, (all, path) => {
        const found = new Set<string>();
        forFolderRules(indexed(all.map((folder) => `/${folder}/**`)), path, (rule) => found.add(rule.rule.pattern));
        const expected = all.filter((folder) => inside(path.toLowerCase(), folder.toLowerCase()));
        expect([...found].sort()).toEqual([...new Set(expected.map((folder) => `/${folder}/**`))].sort());
      }),
    );
  });

  it('are reached, in the order of the policy, from folders above and below', () => {
    fc.assert(
      fc.property(fc.uniqueArray(folders, { maxLength: 8 }), folders, (all, folder) => {
        const found: string[] = [];
        forReachedRules(indexed(all.map((one) => `/${one}/x*`)), [folder], (rule) => found.push(rule.rule.pattern));
        const meets = (one: string): boolean =>
          inside(one.toLowerCase(), folder.toLowerCase()) || inside(folder.toLowerCase(), one.toLowerCase());
        expect(found).toEqual(all.filter(meets).map((one) => `/${one}/x*`));
      }),
    );
  });

  it('roam when they may be about any folder', () => {
    const found: string[] = [];
    forReachedRules(indexed(['*.pem', '//a/b/**', '~/x']), ['/c'], (rule) => found.push(rule.rule.pattern));
    expect(found).toEqual(['*.pem', '~/x']);
  });

  it.each([
    ['/A/b/c', 1, '/a'],
    ['/a/b/c', 3, '/a/b/c'],
    ['/a/b/c', 4, null],
    ['/', 1, null],
  ])('the head of %s of %s segments is %s', (path, count, head) => {
    expect(foldedHead(path, count)).toBe(head);
  });
});
