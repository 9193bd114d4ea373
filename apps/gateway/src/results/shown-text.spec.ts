import { describe, expect, it } from '@jest/globals';
import { createRedactor } from '@countersign/redaction';
import { MAX_SEARCHED, redactOutput } from './redact-output.js';
import { headOf, lengthOf, pageOf, shortened } from './shown-text.js';

const smile = '😀';

describe('texts that are shown', () => {
  it('are cut by code point', () => {
    expect(headOf(smile.repeat(5), 3)).toBe(smile.repeat(3));
    expect(headOf(`a${smile}b`, 2)).toBe(`a${smile}`);
    expect(headOf('abc', 10)).toBe('abc');
    expect(headOf('\ud83d\ud83d', 1)).toBe('\ud83d');
    expect(lengthOf(`${smile}a\ud83d`)).toBe(3);
  });

  it('can be read page by page, to the last character', () => {
    const text = `a${smile}b${smile}c`;
    let read = '';
    for (let offset: number | null = 0; offset !== null;) {
      const page: { text: string; next: number | null } = pageOf(text, offset, 2);
      read += page.text;
      offset = page.next;
    }
    expect(read).toBe(text);
    expect(pageOf(text, 99, 5)).toEqual({ text: '', next: null });
  });

  it('end with a stub that names their door, inside of the limit', () => {
    const text = shortened('x'.repeat(5_000), 4_000, { callId: 'call_1', total: 5_000, kept: 5_000 });
    expect(lengthOf(text)).toBe(4_000);
    expect(text).toMatch(
      /^x+\n\[shortened: 5000 characters \(code points\) in all; read on at GET \/v1\/tool-calls\/call_1\/output\?offset=N\]$/,
    );
    expect(lengthOf(shortened('x'.repeat(500), 10, { callId: 'call_1', total: 500, kept: 500 }))).toBe(10);
    expect(shortened('x'.repeat(500), 300, { callId: 'c', total: 900, kept: 500 })).toContain(
      'of which only the first 500 are kept and the rest is lost',
    );
  });
});

describe('long outputs', () => {
  const redactor = () => createRedactor(() => '0123456789ab');
  const token = `ghp_${'a1B2'.repeat(9)}`;

  it('are searched piece by piece, whole keys and tokens at the seams included', async () => {
    const line = `${'word '.repeat(25)}\n`;
    const pem = `-----BEGIN RSA PRIVATE KEY-----\n${`${'Ab1+'.repeat(16)}\n`.repeat(40)}-----END RSA PRIVATE KEY-----\n`;
    const filler = line.repeat(Math.floor((128 * 1024 - 1_000) / line.length));
    const clean = await redactOutput(`${filler}${pem}${filler}${token}\n${filler}`, redactor());
    expect(clean).not.toContain('Ab1+');
    expect(clean).not.toContain(token);
    expect(clean.length).toBeGreaterThan(filler.length * 3);
  });

  it('are searched and kept up to a bound', async () => {
    const clean = await redactOutput('word '.repeat(400_000), redactor());
    expect(clean).toHaveLength(MAX_SEARCHED);
  });
});
