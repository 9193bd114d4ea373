/** What of the environment and of the policy file comes into force at a start, and what is said of it. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { policyDocumentSchema } from '@countersign/contracts';
import { createLedger, migrate, startCluster, type Cluster, type Ledger } from '@countersign/ledger';
import { homeLayout } from '../home/layout.js';
import { POLICY, seed, TENANT } from '../seed/seed.js';
import { appUrlOf } from './database.js';
import { readHomePolicy } from './home-policy.js';
import { linesOf, publishHomePolicy } from './publish-home-policy.js';

const layout = homeLayout(mkdtempSync(join(tmpdir(), 'countersign-publish-')));
const DENY = { AGENT_PERMISSIONS_DENY: 'Bash(git push *)' };
let cluster: Cluster;
let ledger: Ledger;

beforeAll(async () => {
  chmodSync(layout.home, 0o711);
  cluster = await startCluster({ folder: join(layout.home, 'postgres'), ownerPassword: 'owner', port: null });
  await migrate({ ownerUrl: cluster.ownerUrl, appRole: 'countersign_app', appPassword: 'a/b' });
  ledger = createLedger({ databaseUrl: appUrlOf(cluster.ownerUrl, 'countersign_app', 'a/b') });
  await seed(ledger, { known: null, person: 'mira', sameHost: true });
}, 60_000);
afterAll(async () => {
  await ledger.close();
  await cluster.stop();
  rmSync(layout.home, { recursive: true, force: true });
});

async function start(variables: Record<string, string>) {
  const published = await publishHomePolicy(ledger, await readHomePolicy(layout, variables), variables);
  const current = await ledger.policies.current(TENANT, POLICY);
  return { lines: linesOf(published), version: current?.version, document: current?.document };
}

describe('publishing the home’s policy', () => {
  it('puts the environment’s rules in force, above all others, and says so', async () => {
    expect(await start({})).toMatchObject({ version: 1, lines: [], document: { deny: [] } });
    expect(await start(DENY)).toMatchObject({
      version: 2,
      lines: ['policy: with what the environment sets: AGENT_PERMISSIONS_DENY'],
      document: { deny: [{ rule: 'Bash(git push *)', source: 'managed', origin: 'AGENT_PERMISSIONS_DENY' }] },
    });
    expect((await start(DENY)).version).toBe(2);
  });

  it('keeps what was published by people, and lays itself over that', async () => {
    const document = policyDocumentSchema.parse({ allow: ['Bash(git *)'] });
    await ledger.policies.publish({ tenantId: TENANT, name: POLICY, document, by: 'mira' });
    expect(await start(DENY)).toMatchObject({
      version: 4,
      document: { allow: [{ rule: 'Bash(git *)' }], deny: [{ rule: 'Bash(git push *)' }] },
    });
    expect(await start({})).toMatchObject({ version: 5, document: { deny: [], allow: [{ rule: 'Bash(git *)' }] } });
  });

  it('tells what never takes effect, and takes the file again when the environment changed', async () => {
    writeFileSync(layout.policy, 'mode: acceptEdits\nallow: ["Bash(git push --tags)", "Bash(rm:*)"]\n');
    const first = await start({ ...DENY, AGENT_PERMISSION_MODE: 'plan' });
    expect(first.document?.mode).toBe('plan');
    expect(first.lines).toEqual([
      'policy: with what the environment sets: AGENT_PERMISSIONS_DENY, AGENT_PERMISSION_MODE',
      expect.stringMatching(/^policy: note at allow\.1: the tail/),
      expect.stringMatching(/^policy: shadowed at allow\.0: `Bash\(git push --tags\)`/),
    ]);
    expect((await start({})).document).toMatchObject({ mode: 'acceptEdits', deny: [] });
  });

  it('starts nothing with a variable that cannot be read', async () => {
    const before = (await ledger.policies.current(TENANT, POLICY))?.version;
    await expect(start({ AGENT_PERMISSIONS_DENY: 'Bash((' })).rejects.toThrow(/^AGENT_PERMISSIONS_DENY: /);
    await expect(start({ AGENT_BLOCK_NETWORK: 'true' })).rejects.toThrow(/AGENT_BLOCK_NETWORK.*blockNetwork/);
    expect((await ledger.policies.current(TENANT, POLICY))?.version).toBe(before);
  });
});
