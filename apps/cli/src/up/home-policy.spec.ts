/** The policy file of a home: absent, new, unchanged, changed, broken with its place. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { homeLayout } from '../home/layout.js';
import { readHomePolicy } from './home-policy.js';

const layout = homeLayout(mkdtempSync(join(tmpdir(), 'countersign-policy-')));
afterAll(() => rmSync(layout.home, { recursive: true, force: true }));

describe('readHomePolicy', () => {
  it('is the standard policy where there is no file', async () => {
    expect(await readHomePolicy(layout)).toMatchObject({ changed: false, document: { preset: 'standard' } });
  });

  it('takes a file over once, and again when it changes', async () => {
    writeFileSync(layout.policy, 'mode: plan\n');
    const first = await readHomePolicy(layout);
    expect(first).toMatchObject({ changed: true, document: { mode: 'plan' } });
    await first.published();
    expect(await readHomePolicy(layout)).toMatchObject({ changed: false });
    writeFileSync(layout.policy, 'mode: acceptEdits\n');
    expect(await readHomePolicy(layout)).toMatchObject({ changed: true });
  });

  it.each([
    ['deny: [a\n', /policy\.yaml:\d+:\d+: /],
    ['mode: plan\nmode: plan\n', /policy\.yaml:2:\d+: /],
    ['modes: plan\n', /policy\.yaml:1:1: modes: .*`mode`/],
    ['mode: planning\n', /policy\.yaml:1:7: mode: /],
    ['deny:\n  - Bash(ls)\n  - 7\n', /policy\.yaml:3:5: /],
    ['deny:\n  - Bash(ls)\n  - "Bash(("\n', /policy\.yaml:3:5: deny\.1: /],
  ])('names the place of what is wrong in %j', async (text, place) => {
    writeFileSync(layout.policy, text);
    await expect(readHomePolicy(layout)).rejects.toThrow(place);
  });
});
