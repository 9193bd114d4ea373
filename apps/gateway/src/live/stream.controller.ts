/** `GET /v1/sessions/:id/stream`: server-sent events of one session, resumed by `Last-Event-ID`. */
import { Controller, Get, Inject, Param, Query, Res } from '@nestjs/common';
import { DoorError } from '@countersign/contracts';
import { CurrentPrincipal, type Principal } from '@countersign/server';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { z } from 'zod';
import { SessionDesk } from '../sessions/session-desk.js';
import { SessionStreams } from './session-streams.js';
import { readPlaces } from './stream-place.js';

/** Of Fastify's reply: the raw response, and the word that we answer by it. */
interface HijackedReply {
  readonly raw: ServerResponse;
  readonly request: { readonly headers: IncomingHttpHeaders };
  hijack(): unknown;
}

/** `follow=false`: what is stored by now, and then the end. `HEAD` gets the headers alone. */
const streamQuerySchema = z.object({ follow: z.stringbool().default(true) });

@Controller('v1/sessions')
export class StreamController {
  constructor(
    @Inject(SessionStreams) private readonly streams: SessionStreams,
    @Inject(SessionDesk) private readonly sessions: SessionDesk,
  ) {}

  @Get(':id/stream')
  async stream(
    @Param('id') sessionId: string,
    @CurrentPrincipal() principal: Principal,
    @Query({ schema: streamQuerySchema }) { follow }: z.infer<typeof streamQuerySchema>,
    @Res() reply: HijackedReply,
  ): Promise<void> {
    const last = reply.request.headers['last-event-id'] ?? '0';
    const places = typeof last === 'string' ? readPlaces(last) : null;
    if (places === null) throw new DoorError('request.invalid', '`Last-Event-ID` is no id of a message');
    await this.sessions.require({ tenantId: principal.tenantId, sessionId }, principal);
    this.streams.admit(principal);
    reply.hijack();
    const { authorization } = reply.request.headers;
    await this.streams.run(reply.raw, { sessionId, principal, authorization, places, follow });
  }
}
