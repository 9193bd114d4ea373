import { describe, expect, it } from '@jest/globals';
import type { CallOutcome } from '@countersign/contracts';
import type { VaultItem } from '@countersign/ledger';
import { createVaultKeys, newVaultKey, type VaultKeys } from '@countersign/server';
import { createRestoreInput } from './restore-input.js';

const keys = createVaultKeys([newVaultKey()]);
const redacted = { command: 'mysql -p[redacted:password:0123456789ab]' };
const outcome: CallOutcome = {
  id: 'call_1',
  decision: 'allow',
  ruleId: 'r',
  reason: '',
  layer: 'allow',
  approvalStatus: 'not_required',
  updatedInput: redacted,
};

function restoreWith(by: VaultKeys, stored: Readonly<Record<string, string>>) {
  const get = async (tenantId: string, callId: string, kind: string): Promise<VaultItem | null> => {
    const text = stored[kind];
    if (text === undefined) return null;
    return { ...by.seal({ tenantId, callId, kind }, text), createdAt: '2026-01-01T00:00:00.000Z' };
  };
  return createRestoreInput({ vault: { get }, vaultKeys: keys });
}
const byHook = { 'final-arguments': '{"command":"mysql -psecret1"}' };

describe('rewritten arguments', () => {
  it('come back whole', async () => {
    const restored = await restoreWith(keys, byHook)(outcome, 't');
    expect(restored).toEqual({ ...outcome, updatedInput: { command: 'mysql -psecret1' } });
  });

  it('are those that a person edited, where one did', async () => {
    const edited = { ...byHook, 'edited-arguments': '{"command":"mysql -psecret2"}' };
    const restored = await restoreWith(keys, edited)(outcome, 't');
    expect(restored.updatedInput).toEqual({ command: 'mysql -psecret2' });
  });

  it('are left alone when nothing in them was redacted', async () => {
    const plain = { ...outcome, updatedInput: { command: 'mysql' } };
    expect(await restoreWith(keys, {})(plain, 't')).toBe(plain);
  });

  it.each([
    ['are gone', keys, {}],
    ['were sealed with a key that is gone', createVaultKeys([newVaultKey()]), byHook],
  ] as const)('deny the call when their originals %s', async (_why, by, stored) => {
    const told = await restoreWith(by, stored)(outcome, 't');
    expect(told).toMatchObject({ decision: 'deny', ruleId: 'input.unreadable' });
    expect(told).not.toHaveProperty('updatedInput');
  });
});
