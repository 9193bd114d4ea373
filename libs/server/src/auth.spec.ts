/** Keys are found by hash, remembered for a second, and never longer. */
import { describe, expect, it } from '@jest/globals';
import { hashSecret } from '@countersign/ledger';
import { authenticate } from './auth.js';
import type { Principal } from './principal.js';

const SECRET = 'cs_agent_0123456789';
const principal = { keyId: 'key_1', tenantId: 't', role: 'agent' } as Principal;

function house() {
  const known = new Map([[hashSecret(SECRET), principal]]);
  const state = { now: 0, lookups: 0, down: false };
  const find = async (hash: string): Promise<Principal | null> => {
    state.lookups += 1;
    if (state.down) throw new Error('connection refused');
    return known.get(hash) ?? null;
  };
  return { known, state, auth: authenticate({ keys: { find } }, () => state.now) };
}

describe('authenticate', () => {
  it.each([undefined, '', SECRET, `Basic ${SECRET}`, 'Bearer '])('asks for a key: %j', async (header) => {
    await expect(house().auth.byHeader(header)).rejects.toMatchObject({ code: 'auth.missing' });
  });

  it.each(['Bearer a b', 'Bearer \u0000234567890', 'Bearer short'])('knows no such key: %j', async (header) => {
    await expect(house().auth.byHeader(header)).rejects.toMatchObject({ code: 'auth.unknown_key' });
  });

  it('finds a key, once a second at most, also when asked at the same moment', async () => {
    const { state, auth } = house();
    const both = await Promise.all([auth.byHeader(`Bearer ${SECRET}`), auth.byHeader(`bearer   ${SECRET} `)]);
    expect(both).toEqual([principal, principal]);
    state.now = 999;
    await auth.bySecretHash(hashSecret(SECRET));
    expect(state.lookups).toBe(1);
    state.now = 1_000;
    await auth.byHeader(`Bearer ${SECRET}`);
    expect(state.lookups).toBe(2);
  });

  it('stops a revoked key within a second', async () => {
    const { known, state, auth } = house();
    await auth.byHeader(`Bearer ${SECRET}`);
    known.clear();
    state.now = 1_000;
    await expect(auth.byHeader(`Bearer ${SECRET}`)).rejects.toMatchObject({ code: 'auth.unknown_key' });
  });

  it('says unavailable while keys cannot be looked up, and forgets that at once', async () => {
    const { state, auth } = house();
    state.down = true;
    await expect(auth.byHeader(`Bearer ${SECRET}`)).rejects.toMatchObject({ code: 'unavailable', status: 503 });
    state.down = false;
    await expect(auth.byHeader(`Bearer ${SECRET}`)).resolves.toBe(principal);
  });

  it('remembers a bounded number of keys', async () => {
    const { state, auth } = house();
    await auth.byHeader(`Bearer ${SECRET}`);
    for (let i = 0; i < 10_000; i += 1) await auth.bySecretHash(`hash${i}`).catch(() => undefined);
    await auth.byHeader(`Bearer ${SECRET}`);
    expect(state.lookups).toBe(10_002);
  });
});
