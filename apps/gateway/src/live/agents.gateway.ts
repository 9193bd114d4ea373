/** The line `/agents`: calls with their answers, and what agents and executors must hear at once. The doors stay the truth. */
import { Inject, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import {
  ConnectedSocket,
  MessageBody,
  SubscribeMessage,
  WebSocketGateway,
  WebSocketServer,
  type OnGatewayConnection,
  type OnGatewayInit,
} from '@nestjs/websockets';
import {
  DoorError,
  errorBody,
  inspectJson,
  type DecidedNotice,
  type InspectedJson,
  type KillFact,
  type Meter,
  type SessionEndedMessage,
} from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import type { Bus, Unsubscribe } from '@countersign/queue';
import { toDoorError, type Authenticator, type KillWatch, type Principal } from '@countersign/server';
import { z } from 'zod';
import type { HandOut } from '../permits/hand-out.js';
import type { SessionDesk } from '../sessions/session-desk.js';
import type { FindSessionPolicy } from '../sessions/session-policies.js';
import type { ToolCallService } from '../tool-calls/tool-call-service.js';
import { admit, authorOf, isUnfit, refusalOf, type AgentSocket, type Line } from './admission.js';
import { cancelNotice } from './cancel-notice.js';
import { touches } from './kill-reach.js';
import type { CallAck, WatchAck } from './notices.js';
import { Seats } from './seats.js';

export const AGENT_LINE_DEPS = Symbol('what the line of agents needs');

export interface AgentLineDeps {
  readonly ledger: Pick<Ledger, 'sessions' | 'calls' | 'asks'>;
  readonly bus: Pick<Bus, 'onDecided' | 'onEnded'>;
  readonly authenticator: Authenticator;
  readonly toolCalls: ToolCallService;
  readonly sessions: SessionDesk;
  readonly policies: FindSessionPolicy;
  readonly handOut: HandOut;
  readonly kills: Pick<KillWatch, 'engaged' | 'onEngaged'>;
  /** Most connections of all keys together. */
  readonly maxSockets: number;
  readonly meter?: Meter | undefined;
}

const MAX_CALLS_OF_A_SOCKET = 64;
const MAX_ROOMS = 4_096;
const MAX_HEARD = 16_384;
const RECHECK_MS = 2_000;

const watchSchema = z.object({ sessionId: z.string().min(1).max(256) });
const agentSchema = z.object({ agent: z.string() });
const tenantRoom = (tenantId: string): string => JSON.stringify([tenantId]);
const decisionRoom = (tenantId: string, sessionId: string): string =>
  JSON.stringify([tenantId, sessionId, 'decisions']);
const endRoom = (tenantId: string, sessionId: string): string => JSON.stringify([tenantId, sessionId, 'end']);

@WebSocketGateway({ namespace: '/agents' })
export class AgentsGateway
  implements OnGatewayInit<Line>, OnGatewayConnection<AgentSocket>, OnApplicationBootstrap, BeforeApplicationShutdown
{
  @WebSocketServer() private readonly line!: Line;
  private readonly log = new Logger(AgentsGateway.name);
  private readonly ends: Unsubscribe[] = [];
  private readonly seats = new Seats();
  private recheck: NodeJS.Timeout | undefined;

  constructor(@Inject(AGENT_LINE_DEPS) private readonly deps: AgentLineDeps) {}

  afterInit(line: Line): void {
    line.use((socket, next) => {
      admit(socket, this.seats, this.deps).then(
        () => next(),
        (error: unknown) => next(refusalOf(error)),
      );
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    const endReading = this.deps.meter?.read('countersign_sockets', () => this.line.sockets.size, { app: 'gateway' });
    this.ends.push(async () => endReading?.());
    const { bus, kills } = this.deps;
    this.ends.push(await bus.onDecided((message) => this.inBackground(this.tellDecided(message))));
    this.ends.push(await bus.onEnded((message) => this.inBackground(this.tellEnded(message))));
    kills.onEngaged(({ tenantId, ...kill }) => this.tellKill(tenantId, kill));
    this.recheck = setInterval(() => this.inBackground(this.dropUnfit()), RECHECK_MS);
  }

  /** Everybody is told to go elsewhere before their connection ends. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.recheck);
    await Promise.all(this.ends.splice(0).map((end) => end()));
    this.line.emit('reconnect');
    this.line.disconnectSockets(true);
  }

  async handleConnection(socket: AgentSocket): Promise<void> {
    const { principal, gone } = socket.data;
    socket.once('disconnect', () => gone.abort());
    await socket.join(tenantRoom(principal.tenantId));
    for (const kill of this.deps.kills.engaged(principal.tenantId)) {
      if (touches(kill, socket.data.heard)) socket.emit('kill', kill);
    }
  }

  /** The same as `POST /v1/tool-calls`; its session is watched from then on. */
  @SubscribeMessage('tool_call')
  async call(@ConnectedSocket() socket: AgentSocket, @MessageBody() body: unknown): Promise<CallAck> {
    const { data } = socket;
    if (data.calls >= MAX_CALLS_OF_A_SOCKET) return errorBody(new DoorError('overloaded'));
    data.calls += 1;
    try {
      const principal = await this.authorOf(socket);
      const inspected = inspect(body);
      const outcome = await this.deps.toolCalls.decide(inspected, principal, data.gone.signal);
      const agent = agentSchema.safeParse(inspected.value).data?.agent;
      // An answer is an answer, also when its session cannot be watched.
      await this.join(socket, watchSchema.parse(inspected.value).sessionId, agent).catch(this.tellLog);
      return { outcome };
    } catch (error) {
      return errorBody(toDoorError(error));
    } finally {
      data.calls -= 1;
    }
  }

  /** Hears of this session's decisions, and of its end or that of one above it. Only a session of the key's own. */
  @SubscribeMessage('watch')
  async watch(@ConnectedSocket() socket: AgentSocket, @MessageBody() body: unknown): Promise<WatchAck> {
    try {
      const parsed = watchSchema.safeParse(body);
      if (!parsed.success) throw new DoorError('request.invalid', 'expected {sessionId}');
      const { sessionId } = parsed.data;
      const principal = await this.authorOf(socket);
      await this.deps.sessions.require({ tenantId: principal.tenantId, sessionId }, principal);
      return { line: await this.join(socket, sessionId) };
    } catch (error) {
      return errorBody(toDoorError(error));
    }
  }

  /** The key as it is now; whose key was revoked meanwhile is cut off. */
  private async authorOf(socket: AgentSocket): Promise<Principal> {
    try {
      return await authorOf(socket, this.deps.authenticator);
    } catch (error) {
      // After the answer that says why.
      if (error instanceof DoorError && error.code.startsWith('auth.')) setImmediate(() => socket.disconnect(true));
      throw error;
    }
  }

  private async join(socket: AgentSocket, sessionId: string, agent?: string): Promise<string[]> {
    const { tenantId } = socket.data.principal;
    const decisions = decisionRoom(tenantId, sessionId);
    const found = await this.deps.ledger.sessions.line(tenantId, sessionId);
    const line = found.sessionIds.length === 0 ? [sessionId] : found.sessionIds.reverse();
    const isNew = !socket.rooms.has(decisions);
    if (isNew && socket.rooms.size > MAX_ROOMS) {
      throw new DoorError('overloaded', 'this connection watches too many sessions');
    }
    this.hearOf(socket, { sessions: line, agents: agent === undefined ? found.agents : [...found.agents, agent] });
    if (isNew) await socket.join([decisions, ...line.map((id) => endRoom(tenantId, id))]);
    return line;
  }

  /** From now on the connection is told of kill switches over these too, and at once of those that are engaged. */
  private hearOf(socket: AgentSocket, more: { sessions: readonly string[]; agents: readonly string[] }): void {
    const { heard, principal } = socket.data;
    const silent = this.deps.kills.engaged(principal.tenantId).filter((kill) => !touches(kill, heard));
    for (const id of more.sessions) if (heard.sessions.size < MAX_HEARD) heard.sessions.add(id);
    for (const name of more.agents) if (heard.agents.size < MAX_HEARD) heard.agents.add(name);
    for (const kill of silent) if (touches(kill, heard)) socket.emit('kill', kill);
  }

  private tellKill(tenantId: string, kill: KillFact): void {
    for (const socket of this.socketsIn(tenantRoom(tenantId))) {
      if (touches(kill, socket.data.heard)) socket.emit('kill', kill);
    }
  }

  private socketsIn(room: string): AgentSocket[] {
    const ids = [...(this.line.adapter.rooms.get(room) ?? [])];
    return ids.flatMap((id) => this.line.sockets.get(id) ?? []);
  }

  /** What the ledger holds is handed out, not what the bus said. */
  private async tellDecided({ tenantId, sessionId, askId }: DecidedNotice): Promise<void> {
    const room = decisionRoom(tenantId, sessionId);
    if (!this.isHeard(room)) return;
    const ask = await this.deps.ledger.asks.get(tenantId, askId);
    const row = ask === null ? null : await this.deps.ledger.calls.byId(tenantId, ask.callId);
    if (row === null || row.key.sessionId !== sessionId) return;
    const outcome = await this.deps.handOut(row.outcome, { ...row.key, tool: row.tool }, false);
    await Promise.all(
      this.socketsIn(room).map(async (socket) => {
        if (await isUnfit(socket, this.deps.authenticator)) socket.disconnect(true);
        else socket.emit('decision', outcome);
      }),
    );
  }

  private async tellEnded(message: SessionEndedMessage): Promise<void> {
    const room = endRoom(message.tenantId, message.sessionId);
    if (this.isHeard(room)) this.line.to(room).emit('cancel', await cancelNotice(message, this.deps));
  }

  private isHeard(room: string): boolean {
    return (this.line.adapter.rooms.get(room)?.size ?? 0) > 0;
  }

  private async dropUnfit(): Promise<void> {
    for (const socket of this.line.sockets.values()) {
      if (await isUnfit(socket, this.deps.authenticator)) socket.disconnect(true);
    }
  }

  /** A push that could not be made is only told to the log: whoever waits asks the doors. */
  private inBackground(work: Promise<void>): void {
    work.catch(this.tellLog);
  }

  private readonly tellLog = (error: unknown): void => {
    this.log.warn(`the line of agents: ${toDoorError(error).message}`);
  };
}

/** As text the flaws of the JSON itself are seen too; a value has lost them on its way. */
function inspect(body: unknown): InspectedJson {
  const inspected = inspectJson(typeof body === 'string' ? body : JSON.stringify(body ?? null));
  if (!inspected.ok) throw new DoorError('request.malformed');
  return inspected;
}
