/** The kill switches' door: who froze what, and which processes have confirmed that they refuse by it. */
import { randomUUID } from 'node:crypto';
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { DoorError, killSwitchBodySchema, pageQuerySchema, type KillSwitchBody } from '@countersign/contracts';
import type { TenantCommand } from '@countersign/approval';
import type { KillReach, KillView, Ledger } from '@countersign/ledger';
import type { Bus } from '@countersign/queue';
import { CurrentPrincipal, type Principal } from '@countersign/server';
import { z } from 'zod';
import { actorOf } from '../door/answerer.js';
import { BUS, LEDGER } from '../tokens.js';

const killQuerySchema = pageQuerySchema.extend({ engaged: z.stringbool().optional() });
type KillQuery = z.infer<typeof killQuerySchema>;

/** A process is alive that was seen within this long: three of its heartbeats. */
const ALIVE_MS = 15_000;

/** A kill switch with its reach: every live process, and when it confirmed; `reached` once all have. */
export interface KillDetails extends KillView {
  readonly reached: boolean;
  readonly processes: readonly KillReach[];
  /** Of the scope `session`: false while there is no such session; it is frozen from its first call on. Absent: another scope. */
  readonly sessionKnown?: boolean;
}

@Controller('/v1/kill-switches')
export class KillSwitchesController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(BUS) private readonly bus: Bus,
  ) {}

  @Get()
  list(@CurrentPrincipal() who: Principal, @Query({ schema: killQuerySchema }) query: KillQuery) {
    const { engaged, ...page } = query;
    return this.ledger.kills.list({ tenantId: who.tenantId, ...page, ...(engaged === undefined ? {} : { engaged }) });
  }

  @Post()
  async engage(
    @CurrentPrincipal() who: Principal,
    @Body({ schema: killSwitchBodySchema }) { scope, value, reason }: KillSwitchBody,
  ): Promise<KillDetails> {
    const killId = `kill_${randomUUID()}`;
    const what = { scope, value: value ?? null, reason };
    await this.execute(who.tenantId, killId, { type: 'EngageKill', killId, ...what, by: actorOf(who) });
    return this.details(who.tenantId, killId);
  }

  @Get(':id')
  get(@CurrentPrincipal() who: Principal, @Param('id') killId: string): Promise<KillDetails> {
    return this.details(who.tenantId, killId);
  }

  @Post(':id/release')
  @HttpCode(200)
  async release(@CurrentPrincipal() who: Principal, @Param('id') killId: string): Promise<KillDetails> {
    await this.execute(who.tenantId, killId, { type: 'ReleaseKill', killId, by: actorOf(who) });
    return this.details(who.tenantId, killId);
  }

  /** The push only hastens what every process reads by itself. */
  private async execute(tenantId: string, killId: string, command: TenantCommand): Promise<void> {
    const done = await this.ledger.executeTenant(tenantId, command);
    if (!done.ok) throw new DoorError(done.code, done.message);
    await this.bus.kill({ tenantId, killId });
  }

  private async details(tenantId: string, killId: string): Promise<KillDetails> {
    const kill = await this.ledger.kills.get(tenantId, killId);
    if (kill === null) throw new DoorError('kill.unknown');
    const processes = await this.ledger.processes.reach(killId, ALIVE_MS);
    const reached = processes.every(({ confirmedAt }) => confirmedAt !== null);
    return { ...kill, processes, reached, ...(await this.sessionKnown(tenantId, kill)) };
  }

  /** A switch may name a session that is not there yet; who engages it is told, since the name may also be misspelt. */
  private async sessionKnown(tenantId: string, { scope, value }: KillView): Promise<Pick<KillDetails, 'sessionKnown'>> {
    if (scope !== 'session' || value === null) return {};
    return { sessionKnown: (await this.ledger.sessions.get(tenantId, value)) !== null };
  }
}
