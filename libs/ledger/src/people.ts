/** People who may answer, read or administer. */
import { randomUUID } from 'node:crypto';
import type { Role } from '@countersign/contracts';
import type pg from 'pg';
import type { Person } from './generated/client.js';
import { fromColumn, toColumn } from './column-text.js';
import type { Database } from './database.js';
import { changeTenant } from './tenant-stream.js';

export interface PersonView {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly groups: readonly string[];
  readonly roles: readonly Role[];
  /** ISO-8601 UTC. */
  readonly createdAt: string;
}

export interface NewPerson {
  readonly tenantId: string;
  readonly name: string;
  readonly groups: readonly string[];
  readonly roles: readonly Role[];
  readonly by: string;
}

/** Who a person is on a channel: a Slack user is `slack` and `TEAM:USER`, a mailbox `email` and its address in lower case. */
export interface Identity {
  readonly provider: string;
  readonly externalId: string;
}

export interface IdentityChange extends Identity {
  readonly tenantId: string;
  readonly personId: string;
  readonly by: string;
}

export interface People {
  /** Null: the tenant has somebody of that name. */
  create(person: NewPerson): Promise<PersonView | null>;
  list(tenantId: string): Promise<PersonView[]>;
  get(tenantId: string, personId: string): Promise<PersonView | null>;
  /** False: that identity is somebody's already. */
  link(change: IdentityChange): Promise<boolean>;
  /** False: it was not this person's. */
  unlink(change: IdentityChange): Promise<boolean>;
  /** Whose identity it is, as the person is now; null for nobody's. */
  byIdentity(tenantId: string, identity: Identity): Promise<PersonView | null>;
  identities(tenantId: string, personId: string): Promise<Identity[]>;
  /** Those of everybody, by person id. */
  identitiesOfAll(tenantId: string): Promise<ReadonlyMap<string, readonly Identity[]>>;
}

export function createPeople(db: Database): People {
  return {
    create: async (person) => {
      const id = await changeTenant(db.pool, person.tenantId, (client) => create(client, person));
      if (id === null) return null;
      const made = await db.prisma.person.findUniqueOrThrow({ where: { id } });
      return viewOf(made);
    },
    list: async (tenantId) => {
      const where = { tenantId: toColumn(tenantId) };
      const found = await db.prisma.person.findMany({ where, orderBy: [{ name: 'asc' }, { id: 'asc' }] });
      return found.map(viewOf);
    },
    get: async (tenantId, personId) => {
      const found = await db.prisma.person.findFirst({
        where: { id: toColumn(personId), tenantId: toColumn(tenantId) },
      });
      return found && viewOf(found);
    },
    link: (change) => changeIdentity(db, change, true),
    unlink: (change) => changeIdentity(db, change, false),
    byIdentity: async (tenantId, { provider, externalId }) => {
      const tenant = toColumn(tenantId);
      const key = { tenantId_provider_externalId: { tenantId: tenant, provider, externalId: toColumn(externalId) } };
      const identity = await db.prisma.identity.findUnique({ where: key });
      const found =
        identity && (await db.prisma.person.findFirst({ where: { id: identity.personId, tenantId: tenant } }));
      return found && viewOf(found);
    },
    identities: async (tenantId, personId) => {
      const where = { tenantId: toColumn(tenantId), personId: toColumn(personId) };
      const found = await db.prisma.identity.findMany({ where, orderBy: [{ provider: 'asc' }, { externalId: 'asc' }] });
      return found.map(({ provider, externalId }) => ({ provider, externalId: fromColumn(externalId) }));
    },
    identitiesOfAll: async (tenantId) => {
      const where = { tenantId: toColumn(tenantId) };
      const found = await db.prisma.identity.findMany({ where, orderBy: [{ provider: 'asc' }, { externalId: 'asc' }] });
      const byPerson = new Map<string, Identity[]>();
      for (const { personId, provider, externalId } of found) {
        const own = byPerson.get(personId) ?? [];
        byPerson.set(personId, [...own, { provider, externalId: fromColumn(externalId) }]);
      }
      return byPerson;
    },
  };
}

const LINK = `INSERT INTO identities (tenant_id, provider, external_id, person_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`;
const UNLINK = `DELETE FROM identities WHERE tenant_id = $1 AND provider = $2 AND external_id = $3 AND person_id = $4`;

/** The row and the event that tells of it. False: nothing was to be changed, or the person is unknown. */
async function changeIdentity(db: Database, change: IdentityChange, linked: boolean): Promise<boolean> {
  const { tenantId, personId, provider, externalId, by } = change;
  return changeTenant(db.pool, tenantId, async (client) => {
    const { rows } = await client.query<{ name: string; groups: string[]; roles: Role[] }>(
      'SELECT name, groups, roles FROM people WHERE tenant_id = $1 AND id = $2',
      [toColumn(tenantId), toColumn(personId)],
    );
    const [person] = rows;
    if (!person) return { result: false, events: [] };
    const values = [toColumn(tenantId), provider, toColumn(externalId), toColumn(personId)];
    const done = await client.query(linked ? LINK : UNLINK, values);
    if (done.rowCount === 0) return { result: false, events: [] };
    const body = {
      personId,
      name: fromColumn(person.name),
      groups: person.groups.map(fromColumn),
      roles: [...person.roles],
      change: 'changed' as const,
      identity: { provider, externalId, linked },
      by,
    };
    return { result: true, events: [{ type: 'MembershipChanged', version: 1, body } as const] };
  });
}

async function create(client: pg.PoolClient, { tenantId, name, groups, roles, by }: NewPerson) {
  const id = `person_${randomUUID()}`;
  const made = await client.query(
    `INSERT INTO people (id, tenant_id, name, groups, roles) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (tenant_id, name) DO NOTHING`,
    [id, toColumn(tenantId), toColumn(name), groups.map(toColumn), roles],
  );
  if (made.rowCount === 0) return { result: null, events: [] };
  const body = { personId: id, name, groups: [...groups], roles: [...roles], change: 'added' as const, by };
  return { result: id, events: [{ type: 'MembershipChanged', version: 1, body } as const] };
}

function viewOf(row: Person): PersonView {
  return {
    id: row.id,
    tenantId: fromColumn(row.tenantId),
    name: fromColumn(row.name),
    groups: row.groups.map(fromColumn),
    roles: row.roles as Role[],
    createdAt: row.createdAt.toISOString(),
  };
}
