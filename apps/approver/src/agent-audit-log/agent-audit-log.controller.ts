/** `GET /v1/agent-audit-log?session=ID`: the seed's audit table for one session, rendered from the ledger. */
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { DoorError, pageQuerySchema } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { CurrentPrincipal, type Principal } from '@countersign/server';
import { z } from 'zod';
import { LEDGER } from '../tokens.js';
import { auditRows, type AuditRow } from './audit-rows.js';

const auditQuerySchema = pageQuerySchema.extend({ session: z.string().min(1).max(256) });
type AuditQuery = z.infer<typeof auditQuerySchema>;

/** Events that are read for one page of rows; a page may be shorter than asked for, and empty, before the last. */
const EVENTS_A_PAGE = 2_000;
const CURSOR = /^(\d{1,15})\.(\d{1,15})$/;

@Controller('/v1/agent-audit-log')
export class AgentAuditLogController {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  @Get()
  async list(
    @CurrentPrincipal() { tenantId }: Principal,
    @Query({ schema: auditQuerySchema }) { session: streamId, limit, cursor }: AuditQuery,
  ): Promise<{ items: AuditRow[]; next: string | null }> {
    const session = await this.ledger.sessions.get(tenantId, streamId);
    if (session === null) throw new DoorError('session.unknown');
    const agentName = session.parentId === null ? 'lead' : (session.state.opening?.agent ?? 'subagent');
    const [after, step] = placeOf(cursor);
    const events = await this.ledger.events.ofStream({ tenantId, streamId }, after, Math.min(limit * 8, EVENTS_A_PAGE));
    const { rows, step: left } = auditRows(events, { agentName, step });
    const last = events.at(-1);
    return {
      items: rows,
      next: last === undefined || BigInt(last.seq) >= BigInt(session.seq) ? null : `${last.seq}.${left}`,
    };
  }
}

/** After which event, and in which step. */
function placeOf(cursor: string | undefined): [number, number] {
  if (cursor === undefined) return [0, 0];
  const [, seq, step] = CURSOR.exec(cursor) ?? [];
  if (seq === undefined) throw new DoorError('request.invalid', 'the cursor is not one of this list');
  return [Number(seq), Number(step)];
}
