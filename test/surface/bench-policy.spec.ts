/** The bench compares like with like: all judges give the same answers, whatever the engine learns. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

describe('the policy bench', () => {
  it('has judges that agree', () => {
    const script = fileURLToPath(new URL('../../bench/policy/run.mjs', import.meta.url));
    const done = spawnSync(process.execPath, [script, '--agree'], { encoding: 'utf8' });
    expect(done.stderr).not.toContain('expected');
    expect(done.status).toBe(0);
    expect(JSON.parse(done.stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ bench: 'policy', agreed: 518 });
  }, 120_000);
});
