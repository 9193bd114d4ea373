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

export interface People {
  /** Null: the tenant has somebody of that name. */
  create(person: NewPerson): Promise<PersonView | null>;
  list(tenantId: string): Promise<PersonView[]>;
  get(tenantId: string, personId: string): Promise<PersonView | null>;
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
  };
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
