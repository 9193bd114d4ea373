import { describe, expect, it } from '@jest/globals';
import { commandMatches, compileCommandPattern } from './command-pattern.js';
import { compileDomain, domainMatches, hostOfUrl, possibleHosts } from './domain-pattern.js';
import { parseRuleText } from './parse-rule.js';
import { compileSegment, matchesSegment, segmentsMeet } from './segment-glob.js';
import { compileWildcard, matchesWildcard } from './wildcard.js';

describe('wildcards', () => {
  it.each([
    ['a*c', 'abbc', true],
    ['a*c', 'ac', true],
    ['a*c', 'acx', false],
    ['*x*y*', '1x2y3', true],
    ['*x*y*', '1y2x3', false],
    ['a*a', 'a', false],
    ['a\\*b', 'a*b', true],
    ['a\\*b', 'axb', false],
    ['', '', true],
  ])('%s on %s is %s', (pattern, text, expected) => {
    expect(matchesWildcard(compileWildcard(pattern), text)).toBe(expected);
  });

  it('takes no time for a hostile pattern', () => {
    const pattern = compileWildcard(`${'a*'.repeat(900)}b`);
    expect(matchesWildcard(pattern, 'a'.repeat(10_000))).toBe(false);
  });
});

describe('command patterns', () => {
  it.each([
    ['npm run build', 'npm run build', true],
    ['npm run build', 'npm run build x', false],
    ['npm test *', 'npm test', true],
    ['npm test *', 'npm test a b', true],
    ['npm test *', 'npm tests', false],
    ['npm test:*', 'npm test x', true],
    ['ls*', 'lsof', true],
    ['qux * main', 'qux main', false],
    ['qux * main', 'qux a b main', true],
    ['ssh * uptime *', 'ssh host uptime', true],
    ['foo:* odd', 'foo:x odd', true],
    ['psql -c "select \\* from t"', 'psql -c select * from t', true],
    ['psql -c "select \\* from t"', 'psql -c select 1; drop table t', false],
    ['*', 'anything', true],
  ])('%s on %s is %s', (spec, text, expected) => {
    expect(commandMatches(compileCommandPattern(spec), text)).toBe(expected);
  });

  it('is indexed by its first word only when that is literal', () => {
    expect(compileCommandPattern('git push *').program).toBe('git');
    expect(compileCommandPattern('g* push').program).toBeNull();
  });
});

describe('domains', () => {
  it.each([
    ['example.com', 'https://example.com/x', true],
    ['example.com', 'https://www.example.com/', false],
    ['*.example.com', 'https://a.b.example.com/', true],
    ['*.example.com', 'https://example.com/', false],
    ['ask*.test', 'http://ask-me.test', true],
    ['foo.*', 'http://foo.a.b', false],
    ['*', 'https://x.y', true],
    ['EXAMPLE.com', 'HTTPS://Example.COM.:443/', true],
  ])('%s on %s is %s', (pattern, url, expected) => {
    const domain = compileDomain(pattern);
    const host = hostOfUrl(url);
    expect(domain !== null && host !== null && domainMatches(domain, host)).toBe(expected);
  });

  it.each(['https://example.com@evil.test/', 'https://a\\@b/', 'notaurl', 'https://exa\u200Bmple.com/', '//x/y'])(
    '%s has no plain host',
    (url) => {
      expect(hostOfUrl(url)).toBeNull();
    },
  );

  it('names every host that a doubtful address might mean', () => {
    expect(possibleHosts('https://example.com@evil.test/')).toEqual(
      expect.arrayContaining(['example.com', 'evil.test']),
    );
    expect(possibleHosts('https:/\\evil.test/x')).toContain('evil.test');
  });

  it.each([
    ['http://2852039166/x', '169.254.169.254'],
    ['http://0xa9fea9fe/', '169.254.169.254'],
    ['http://0251.0376.0251.0376/', '169.254.169.254'],
    ['http://0xa9.254.43518/', '169.254.169.254'],
    ['http://[::ffff:a9fe:a9fe]/', '169.254.169.254'],
    ['http://[::ffff:169.254.169.254]:80/', '169.254.169.254'],
    ['http://169.254.169.254./', '169.254.169.254'],
    ['http://\uFF11\uFF16\uFF19.254.169.254/', '169.254.169.254'],
    ['http://127.1/', 'localhost'],
    ['http://0/', '127.0.0.1'],
    ['http://[::1]/', '127.0.0.1'],
    ['http://a.localhost/', '127.0.0.1'],
    ['http://evil%2etest/', 'evil.test'],
    ['http://evil\u3002test/', 'evil.test'],
    ['http://\uFF45vil.test/', 'evil.test'],
    ['http://ev\u00ADil.test/', 'evil.test'],
  ])('%s may mean %s', (url, host) => {
    expect(possibleHosts(url)).toContain(host);
  });

  it.each([
    'http://2852039166/',
    'http://127.1/',
    'http://m\u00FCnchen.test/',
    'http://evil%2etest/',
    'gopher://x.test/',
    'file:///etc/passwd',
  ])('%s is allowed by no domain', (url) => {
    expect(hostOfUrl(url)).toBeNull();
  });

  it('keeps plain addresses and names plain', () => {
    expect(hostOfUrl('http://10.0.0.1:8080/')).toBe('10.0.0.1');
    expect(hostOfUrl('wss://a_b.test')).toBe('a_b.test');
    expect(possibleHosts('https://docs.example.com/')).toEqual(['docs.example.com']);
  });
});

describe('segments', () => {
  it.each([
    ['*.ts', 'a.ts', true],
    ['a?c', 'abc', true],
    ['[ab]x', 'bx', true],
    ['[!ab]x', 'bx', false],
    ['[a-c]', 'b', true],
    ['\\[id\\]', '[id]', true],
    ['\\[id\\]', 'i', false],
    ['a[b', 'a[b', true],
  ])('%s on %s is %s', (glob, text, expected) => {
    expect(matchesSegment(compileSegment(glob), text, false)).toBe(expected);
  });

  it('meets another pattern when some name fits both', () => {
    const meet = (left: string, right: string): boolean => segmentsMeet(compileSegment(left), compileSegment(right));
    expect(meet('.env', '.e*')).toBe(true);
    expect(meet('.env', '*')).toBe(false);
    expect(meet('a*z', '*b*')).toBe(true);
    expect(meet('a*', 'b*')).toBe(false);
    expect(meet('*.key', 'server.*')).toBe(true);
  });
});

describe('rule texts', () => {
  it.each([
    ['Bash', { tool: 'Bash', spec: null }],
    ['Bash(*)', { tool: 'Bash', spec: null }],
    ['Bash()', { tool: 'Bash', spec: null }],
    ['Bash(echo (x))', { tool: 'Bash', spec: 'echo (x)' }],
    ['mcp__srv__get_*', { tool: 'mcp__srv__get_*', spec: null }],
    ['Bash(broken((', null],
    ['(x)', null],
    ['', null],
    ['two words', null],
  ])('%s', (text, expected) => {
    expect(parseRuleText(text)).toEqual(expected);
  });
});
