/** What the policy room shows to others changes only on purpose. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

interface SurfaceScript {
  readonly SURFACE_FILE: string;
  policySurface(): string;
}

describe('the public surface of the policy room', () => {
  it('is the one that is written down; after a change on purpose run `node scripts/policy-surface.mjs`', async () => {
    const script = (await import(new URL('../../scripts/policy-surface.mjs', import.meta.url).href)) as SurfaceScript;
    expect(script.policySurface()).toBe(readFileSync(script.SURFACE_FILE, 'utf8'));
  }, 60_000);
});
