/** What is taken for a secret and what is not, as rates over two lists, and how replacing behaves. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { HARMLESS } from './fixtures/harmless.js';
import { PLACED, TOKENS, type Planted } from './fixtures/secrets.js';
import { createRedactor, findSecrets, isSecretName, type Redactor } from './index.js';

const tag = (secret: string): string => createHmac('sha256', 'test').update(secret).digest('hex').slice(0, 12);
const redactor = (): Redactor => createRedactor(tag);
const clean = (text: string): string => redactor().text(text);
const json = (value: unknown): unknown => redactor().json(value);

const missedOf = (list: readonly Planted[]): string[] =>
  list.filter(({ text, secret }) => clean(text).includes(secret)).map(({ text }) => text);

describe('what is found', () => {
  it('finds every token that says what it is', () => {
    expect(missedOf(TOKENS)).toEqual([]);
  });

  it('finds every secret that its place or its name gives away', () => {
    expect(missedOf(PLACED)).toEqual([]);
  });

  it('leaves harmless text alone, and states both rates', () => {
    const eaten = HARMLESS.filter((text) => clean(text) !== text);
    const planted = TOKENS.length + PLACED.length;
    const found = planted - missedOf([...TOKENS, ...PLACED]).length;
    process.stdout.write(
      `redaction: ${found} of ${planted} planted secrets found, ${eaten.length} of ${HARMLESS.length} harmless texts changed\n`,
    );
    expect(eaten.map((text) => `${text} => ${clean(text)}`)).toEqual([]);
  });

  it('finds what stands inside of JSON as well', () => {
    const missed = [...TOKENS, ...PLACED].filter(({ text, secret }) => {
      const shown = JSON.stringify(json({ command: text, nested: [{ text }] }));
      return shown.includes(JSON.stringify(secret).slice(1, -1));
    });
    expect(missed).toEqual([]);
  });
});

describe('what stands in its place', () => {
  it('tells the kind and the tag, and leaves everything else', () => {
    expect(clean("mysql -u root -p'hunter2' shop")).toBe(
      `mysql -u root -p'[redacted:password:${tag('hunter2')}]' shop`,
    );
    expect(clean('curl -u joe:hunter2 https://h')).toBe(`curl -u joe:[redacted:password:${tag('hunter2')}] https://h`);
    expect(clean('https://joe:hunter2@h/x?y=1')).toBe(`https://joe:[redacted:url-password:${tag('hunter2')}]@h/x?y=1`);
  });

  it('gives equal secrets the same marker, and finds them again where nothing but their letters gives them away', () => {
    const marker = `[redacted:secret-variable:${tag('s3cr3t-value')}]`;
    expect(clean('DB_PASSWORD=s3cr3t-value; echo s3cr3t-value')).toBe(`DB_PASSWORD=${marker}; echo ${marker}`);
    const one = redactor();
    expect(one.text('PGPASSWORD=hunter2! psql')).toContain(tag('hunter2!'));
    expect(one.text('asked because of `hunter2!`')).toBe(
      `asked because of \`[redacted:secret-variable:${tag('hunter2!')}]\``,
    );
  });

  it('changes nothing a second time', () => {
    for (const { text } of [...TOKENS, ...PLACED]) {
      const once = clean(text);
      expect(clean(once)).toBe(once);
    }
  });

  it('counts what it found by kind', () => {
    const one = redactor();
    one.json({ a: 'PGPASSWORD=hunter2 psql', b: ['DB_PASSWORD=other99 x'] });
    expect(one.found()).toEqual([{ kind: 'secret-variable', count: 2 }]);
  });
});

describe('JSON values', () => {
  it('is the same object when nothing is secret', () => {
    const value = { command: 'npm test', list: [1, null, 'x'], deep: { a: true } };
    expect(json(value)).toBe(value);
  });

  it('takes a whole field that is named like a secret, and leaves references, paths and prose', () => {
    const value = {
      password: 'x',
      apiKey: 'correct horse',
      token: '${TOKEN}',
      secret: '/run/secrets/db',
      cookie: 'please accept the cookie banner',
    };
    expect(json(value)).toEqual({
      ...value,
      password: `[redacted:secret-field:${tag('x')}]`,
      apiKey: `[redacted:secret-field:${tag('correct horse')}]`,
    });
  });

  it('reads a list of words as a command line', () => {
    expect(json({ argv: ['mysql', '-u', 'root', '-psecret1', 'shop'] })).toEqual({
      argv: ['mysql', '-u', 'root', `-p[redacted:password:${tag('secret1')}]`, 'shop'],
    });
    expect(JSON.stringify(json(['app', '--password', 'hunter2']))).not.toContain('hunter2');
  });

  it('cleans names of fields, and keeps odd ones', () => {
    const key = `ghp_${'a1B2'.repeat(9)}`;
    const value = JSON.parse(`{"${key}":1,"__proto__":{"x":"y"}}`) as object;
    const cleaned = json(value) as object;
    expect(Object.keys(cleaned)).toEqual([`[redacted:github-token:${tag(key)}]`, '__proto__']);
  });

  it('names like a secret, and those that only look so', () => {
    const secret = [
      'password',
      'DB_PASSWORD',
      'githubToken',
      'X-Api-Key',
      'clientSecret',
      'aws_secret_access_key',
      'PGPASSWORD',
      'authToken',
    ];
    const plain = [
      'file_path',
      'max_tokens',
      'primaryKey',
      'session_id',
      'tokenizer',
      'author',
      'keyboard',
      'monkey',
      'nextPageToken',
      'passenger',
      'cache_key',
    ];
    expect([...secret, ...plain].filter(isSecretName)).toEqual(secret);
  });
});

describe('bounds', () => {
  const LENGTH = 256 * 1024;
  const worst = [
    'password=',
    'token ',
    'key:',
    'x-a-key:',
    '-----BEGIN PRIVATE KEY-----',
    'https://u:',
    'eyJ',
    'curl -u ',
    "mysql '",
    'SG.a.',
    'ghs_1_a',
    'Authorization: ',
  ];

  it.each(worst)('reads text made of %j in time that grows with its length only', (fill) => {
    const time = (length: number): number => {
      const text = fill.repeat(Math.ceil(length / fill.length)).slice(0, length);
      const before = process.cpuUsage().user;
      findSecrets(text);
      return (process.cpuUsage().user - before) / 1_000;
    };
    time(LENGTH);
    // Ten times what it takes on a slow machine; what grew with the square would take minutes.
    expect(time(LENGTH)).toBeLessThan(4_000);
  });

  it('takes a text that it cannot search within bounds as one secret', () => {
    const text = 'x-a-key:'.repeat(60_000);
    const found = findSecrets(text);
    expect(found.every(({ start, end }) => end > start)).toBe(true);
    expect(clean('pass=\n'.repeat(50_000))).toMatch(/^\[redacted:unsearchable:[0-9a-f]{12}\]$/);
  });
});
