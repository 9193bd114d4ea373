/** What a new home or database starts with: tenant `default`, its policy, a person, and one key for each role. */
import { homedir } from 'node:os';
import { hashSecret, type KeyView, type Ledger } from '@countersign/ledger';
import type { PolicyDocument, Role } from '@countersign/contracts';
import type { Endpoints } from '../home/endpoints.js';

export const TENANT = 'default';
export const POLICY = 'default';
const BY = 'countersign';

/** The keys of `endpoints.json`. */
export type Keys = Pick<Endpoints, 'agentKey' | 'approverKey' | 'auditorKey' | 'adminKey'>;

export interface SeedOptions {
  /** Keys of an earlier start; those that the ledger still knows are kept. */
  readonly known: Partial<Keys> | null;
  /** Name of the person who holds the approver's and the admin's key. */
  readonly person: string;
  /** The agents run on this machine, so their paths may be resolved here. */
  readonly sameHost: boolean;
}

/** Makes what is missing and gives the keys. May be run any number of times. */
export async function seed(ledger: Ledger, options: SeedOptions): Promise<Keys> {
  await ledger.tenants.ensure({ id: TENANT, name: TENANT });
  const personId = await ensurePerson(ledger, options.person);
  const key = (role: Role, known: string | undefined) => ensureKey(ledger, { role, known, personId, options });
  return {
    agentKey: await key('agent', options.known?.agentKey),
    approverKey: await key('approver', options.known?.approverKey),
    auditorKey: await key('auditor', options.known?.auditorKey),
    adminKey: await key('admin', options.known?.adminKey),
  };
}

/** Publishes the policy `default`; `force` false: only where there is none yet. */
export async function seedPolicy(ledger: Ledger, document: PolicyDocument, force: boolean): Promise<void> {
  if (!force && (await ledger.policies.current(TENANT, POLICY)) !== null) return;
  await ledger.policies.publish({ tenantId: TENANT, name: POLICY, document, by: BY });
}

async function ensurePerson(ledger: Ledger, name: string): Promise<string> {
  const roles: Role[] = ['approver', 'auditor', 'admin'];
  const made = await ledger.people.create({ tenantId: TENANT, name, groups: [], roles, by: BY });
  const person = made ?? (await ledger.people.list(TENANT)).find((found) => found.name === name);
  if (person === undefined) throw new Error(`person \`${name}\` is neither there nor can be made`);
  return person.id;
}

interface WantedKey {
  readonly role: Role;
  readonly known: string | undefined;
  readonly personId: string;
  readonly options: SeedOptions;
}

async function ensureKey(ledger: Ledger, wanted: WantedKey): Promise<string> {
  const { role, known, options } = wanted;
  const sameHost = role === 'agent' && options.sameHost;
  const found = known === undefined ? null : await ledger.keys.find(hashSecret(known));
  if (known !== undefined && found !== null && fits(found, role, sameHost)) return known;
  // INVARIANT: a key that vouches for paths of this machine is not left to agents of other machines.
  if (found !== null) await ledger.keys.revoke({ tenantId: TENANT, keyId: found.keyId, by: BY });
  const { secret } = await ledger.keys.create({
    tenantId: TENANT,
    role,
    label: `first ${role} key`,
    personId: role === 'agent' ? null : wanted.personId,
    policy: POLICY,
    home: sameHost ? homedir() : null,
    sameHost,
    by: BY,
  });
  return secret;
}

function fits(key: KeyView, role: Role, sameHost: boolean): boolean {
  return key.tenantId === TENANT && key.role === role && key.sameHost === sameHost;
}
