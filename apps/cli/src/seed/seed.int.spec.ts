/** A new database gets its tenant, policy and keys once; a second start keeps them. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { policyDocumentSchema } from '@countersign/contracts';
import { createLedger, hashSecret, migrate, startCluster, type Cluster, type Ledger } from '@countersign/ledger';
import { appUrlOf } from '../up/database.js';
import { POLICY, seed, seedPolicy, TENANT } from './seed.js';

const home = mkdtempSync(join(tmpdir(), 'countersign-seed-'));
const options = { known: null, person: 'mira', sameHost: true };
let cluster: Cluster;
let ledger: Ledger;

beforeAll(async () => {
  chmodSync(home, 0o711);
  cluster = await startCluster({ folder: join(home, 'postgres'), ownerPassword: 'owner', port: null });
  await migrate({ ownerUrl: cluster.ownerUrl, appRole: 'countersign_app', appPassword: 'a/b' });
  ledger = createLedger({ databaseUrl: appUrlOf(cluster.ownerUrl, 'countersign_app', 'a/b') });
}, 60_000);
afterAll(async () => {
  await ledger.close();
  await cluster.stop();
  rmSync(home, { recursive: true, force: true });
});

describe('seed', () => {
  it('makes one key for each role, and keeps them', async () => {
    const keys = await seed(ledger, options);
    expect(await seed(ledger, { ...options, known: keys })).toEqual(keys);
    const agent = await ledger.keys.find(hashSecret(keys.agentKey));
    expect(agent).toMatchObject({ tenantId: TENANT, role: 'agent', sameHost: true, personId: null, policy: POLICY });
    const approver = await ledger.keys.find(hashSecret(keys.approverKey));
    expect(approver).toMatchObject({ role: 'approver', sameHost: false, personName: 'mira' });
    expect(await ledger.people.list(TENANT)).toHaveLength(1);
  });

  it('takes back the agent’s key when it no longer may vouch for this machine', async () => {
    const before = await seed(ledger, options);
    const after = await seed(ledger, { ...options, known: before, sameHost: false });
    expect(after.agentKey).not.toBe(before.agentKey);
    expect(after.adminKey).toBe(before.adminKey);
    expect(await ledger.keys.find(hashSecret(before.agentKey))).toBeNull();
  });

  it('replaces keys that this database does not know', async () => {
    const known = { agentKey: 'cs_agent_other', approverKey: 'x', auditorKey: 'y', adminKey: 'z' };
    const keys = await seed(ledger, { ...options, known });
    expect(Object.values(keys).every((key) => !Object.values(known).includes(key))).toBe(true);
  });

  it('publishes a first policy once, and another one only when told', async () => {
    const plan = policyDocumentSchema.parse({ mode: 'plan' });
    await seedPolicy(ledger, policyDocumentSchema.parse({}), false);
    await seedPolicy(ledger, plan, false);
    expect((await ledger.policies.current(TENANT, POLICY))?.version).toBe(1);
    await seedPolicy(ledger, plan, true);
    expect(await ledger.policies.current(TENANT, POLICY)).toMatchObject({ version: 2, document: { mode: 'plan' } });
  });
});
