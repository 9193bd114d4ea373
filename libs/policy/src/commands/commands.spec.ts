import { describe, expect, it } from '@jest/globals';
import { decompose } from '../shell/decompose.js';
import { isPlainEdit } from './edits.js';
import { isLoadingVariable, isSafeVariable } from './environment.js';
import { operandsOf } from './operands.js';

const plan = (source: string) => decompose(source, { maxLength: 10_000, cwd: '/work/app', home: '/home/dev' });
describe('operands', () => {
  const operands = (source: string) =>
    (operandsOf(plan(source).calls[0]!) ?? []).map(
      (one) => `${one.access}${one.recursive ? '*' : ''}:${one.word.value}`,
    );
  it.each([
    ['cat -n a b', ['read:a', 'read:b']],
    ['head -n 5 a', ['read:a']],
    ['grep -e x a', ['read:a']],
    ['grep x a b', ['read:a', 'read:b']],
    ['grep -r x d', ['read*:d']],
    ['cp a b', ['read:a', 'write:b']],
    ['cp -r a b c', ['read*:a', 'read*:b', 'write*:c']],
    ['cp -t d a b', ['read:a', 'read:b', 'write:d']],
    ['mv a b', ['write:a', 'write:b']],
    ['rm -rf -- -x', ['write*:-x']],
    ['tee -a f', ['write:f']],
    ['sort -o out in', ['read:in', 'write:out']],
    ['sort -oout in', ['read:in', 'write:out']],
    ['cp --target-directory=d a', ['read:a', 'write:d']],
    ['grep -fp a', ['read:a', 'read:p']],
    ['xargs cp a b', []],
    ['dd if=a of=b', ['read:a', 'write:b']],
    ['find a b -name x', ['read:a', 'read:b']],
    ['find a -delete', ['write*:a']],
    ['sed -i s/a/b/ f', ['write:f']],
    ['sed -n p f', ['read:f']],
    ['chmod 600 f', ['write:f']],
    ['curl -o f http://x', ['write:f']],
    ['uniq a b', ['read:a', 'write:b']],
    ['unknown f', []],
    ['git -C x status', ['read:x']],
    ['diff --to-file=/x a', ['read:a', 'read:/x']],
    ['base64 -i f', ['read:f']],
    ['tar czf a.tgz src', ['write:a.tgz', 'read*:src']],
    ['tar tf a.tar', ['read:a.tar']],
    ['tar xf a.tar -C out', ['read:a.tar', 'write:out']],
    ['gunzip a.gz', ['write:a.gz']],
    ['gunzip -c a.gz', ['read:a.gz']],
    ['find . -fprint x', ['read:.', 'write:x']],
    ['sed -ne p f', ['read:f']],
    ['openssl x509 -in c.crt -noout', ['read:c.crt']],
    ['wget --post-file=f http://x', ['read:f']],
    ['git show HEAD:.env', ['read:.env']],
    ['git diff --output=o a', ['write:o', 'read:a']],
    ['git commit -m a', []],
  ])('%s touches %j', (source, expected) => {
    expect(operands(source)).toEqual(expected);
  });
});

describe('plain edits', () => {
  it.each(['mkdir -p a', 'touch a', 'cp a b', 'mv a b', 'rm a', 'tee a', 'sed -i s/a/b/g f', 'NODE_ENV=x touch a'])(
    '%s is one',
    (source) => {
      expect(isPlainEdit(plan(source).calls[0]!)).toBe(true);
    },
  );
  it.each([
    'rm -r a',
    'rm -fR a',
    'rm --recursive a',
    'chmod 1 a',
    'ln a b',
    "sed -i 's/a/b/e' f",
    "sed -i '1e id' f",
    'X=1 touch a',
    'touch $x',
    './touch a',
  ])('%s is none', (source) => {
    expect(isPlainEdit(plan(source).calls[0]!)).toBe(false);
  });
});

describe('variables', () => {
  it('knows a few safe ones, and those that load code', () => {
    expect(['NODE_ENV', 'CI', 'LANG'].every(isSafeVariable)).toBe(true);
    expect(['AWS_PROFILE', 'FOO', 'PATH'].some(isSafeVariable)).toBe(false);
    expect(
      ['PATH', 'LD_PRELOAD', 'GIT_SSH_COMMAND', 'IFS', 'BASH_ENV', 'LESSOPEN', 'NODE_OPTIONS'].every(isLoadingVariable),
    ).toBe(true);
  });
});
