/** The live line `/approvals`: tells signed-in approvers of asks that open and close. A hint; the list is the truth. */
import { Inject, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { WebSocketGateway, WebSocketServer, type OnGatewayConnection, type OnGatewayInit } from '@nestjs/websockets';
import {
  DoorError,
  type DecidedNotice,
  type LateAnswerMessage,
  type Meter,
  type OpenedMessage,
} from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import type { Bus, Unsubscribe } from '@countersign/queue';
import type { Authenticator, CookieSessions, Principal } from '@countersign/server';
import type { DefaultEventsMap, Namespace, Socket } from 'socket.io';
import { principalOfHandshake } from '../sign-in/socket-principal.js';
import { AUTHENTICATOR, BUS, COOKIES, LEDGER, METER } from '../tokens.js';
import { missedSince } from './catch-up.js';
import { closedNotice, type LiveEvents } from './notices.js';
import { createToldAsks } from './told-asks.js';

type Line = Namespace<DefaultEventsMap, LiveEvents, DefaultEventsMap, { principal: Principal }>;
type ApproverSocket = Socket<DefaultEventsMap, LiveEvents, DefaultEventsMap, { principal: Principal }>;

const RECHECK_MS = 2_000;
const TOLD_ASKS = 10_000;
/** Open pages at this approver; each is read again now and then. */
const MOST_SOCKETS = 1_000;

@WebSocketGateway({ namespace: '/approvals' })
export class ApprovalsGateway
  implements OnGatewayInit<Line>, OnGatewayConnection<ApproverSocket>, OnApplicationBootstrap, BeforeApplicationShutdown
{
  @WebSocketServer() private readonly line!: Line;
  @Inject(METER) private readonly meter!: Meter;
  private readonly log = new Logger(ApprovalsGateway.name);
  private readonly ends: Unsubscribe[] = [];
  private recheck: NodeJS.Timeout | undefined;
  private readonly told = createToldAsks(TOLD_ASKS);
  private hears = true;

  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    @Inject(COOKIES) private readonly cookies: CookieSessions,
  ) {}

  afterInit(line: Line): void {
    line.use((socket, next) => {
      if (line.sockets.size >= MOST_SOCKETS) return next(refusalOf(new DoorError('overloaded')));
      this.admit(socket).then(
        () => next(),
        (error: unknown) => next(refusalOf(error)),
      );
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    const endReading = this.meter.read('countersign_sockets', () => this.line.sockets.size, { app: 'approver' });
    this.ends.push(async () => endReading());
    this.ends.push(await this.bus.onOpened((message) => this.inBackground(this.tellOpened(message))));
    this.ends.push(await this.bus.onDecided((message) => this.inBackground(this.tellClosed(message))));
    this.ends.push(await this.bus.onLate((message) => this.inBackground(this.tellLate(message))));
    this.ends.push(
      await this.bus.onKill(({ tenantId, killId }) => this.line.to(tenantId).emit('kill.changed', { id: killId })),
    );
    this.recheck = setInterval(() => {
      this.inBackground(this.dropRevoked());
      this.inBackground(this.tellWhetherHearing());
    }, RECHECK_MS);
  }

  /** Everybody is told to go elsewhere; the server then closes their connections, upon which they connect again by themselves. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.recheck);
    this.line.emit('line.leaving');
    await Promise.all(this.ends.splice(0).map((end) => end()));
  }

  async handleConnection(socket: ApproverSocket): Promise<void> {
    await socket.join(socket.data.principal.tenantId);
    if (!this.hears) socket.emit('line.paused');
    const since: unknown = socket.handshake.auth['since'];
    if (typeof since === 'string') this.inBackground(this.catchUp(socket, since));
  }

  private async catchUp(socket: ApproverSocket, since: string): Promise<void> {
    const missed = await missedSince(this.ledger, socket.data.principal.tenantId, since);
    for (const notice of missed.closed) socket.emit('ask.closed', notice);
    for (const ask of missed.opened) socket.emit('ask.opened', { ask });
    socket.emit('caught.up', { version: missed.version });
  }

  private async admit(socket: ApproverSocket): Promise<void> {
    socket.data.principal = await principalOfHandshake(this.authenticator, this.cookies, socket.handshake);
  }

  private async tellOpened({ tenantId, askId }: OpenedMessage): Promise<void> {
    if (!this.isHeard(tenantId)) return;
    const ask = await this.ledger.asks.get(tenantId, askId);
    if (ask?.status === 'open' && this.told.isNews(ask)) this.line.to(tenantId).emit('ask.opened', { ask });
  }

  private async tellClosed({ tenantId, askId }: DecidedNotice): Promise<void> {
    if (!this.isHeard(tenantId)) return;
    const ask = await this.ledger.asks.get(tenantId, askId);
    if (ask !== null && ask.status !== 'open') this.line.to(tenantId).emit('ask.closed', closedNotice(ask));
  }

  private async tellLate({ tenantId, askId }: LateAnswerMessage): Promise<void> {
    if (!this.isHeard(tenantId)) return;
    const [ask, late] = await Promise.all([
      this.ledger.asks.get(tenantId, askId),
      this.ledger.asks.late(tenantId, [askId]),
    ]);
    const answer = late[askId]?.[0];
    if (!answer || typeof ask?.resolvedBy !== 'string') return;
    this.line.to(tenantId).emit('ask.late', { id: askId, first: ask.resolvedBy, ...answer });
  }

  private isHeard(tenantId: string): boolean {
    return (this.line.adapter.rooms.get(tenantId)?.size ?? 0) > 0;
  }

  /** A key that was revoked, or a session that ended, loses its line as well. */
  private async dropRevoked(): Promise<void> {
    for (const socket of this.line.sockets.values()) {
      const refused = await this.admit(socket).then(
        () => false,
        (error: unknown) => error instanceof DoorError && error.code.startsWith('auth.'),
      );
      if (refused) socket.disconnect(true);
    }
  }

  private async tellWhetherHearing(): Promise<void> {
    const hears = await this.bus.ping().then(
      () => true,
      () => false,
    );
    if (hears === this.hears) return;
    this.hears = hears;
    this.line.emit(hears ? 'line.resumed' : 'line.paused');
  }

  /** A hint that could not be passed on is only told to the log: pages read the list again by themselves. */
  private inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => this.log.warn(`live updates: ${error instanceof Error ? error.message : 'failed'}`));
  }
}

function refusalOf(error: unknown): Error {
  const known = error instanceof DoorError ? error : new DoorError('unavailable');
  return Object.assign(new Error(known.message), { data: { code: known.code } });
}
