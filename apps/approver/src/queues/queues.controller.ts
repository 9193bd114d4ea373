/** `/admin/queues`: Bull Board for admins. It reads only: no page of it can change a job. */
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { DoorError } from '@countersign/contracts';
import type { Board, BoardAnswer } from '@countersign/queue';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BOARD_HEADERS } from '../page/page-headers.js';
import { QUEUE_BOARD } from '../tokens.js';

export const BOARD_PATH = '/admin/queues';

/** Opens the board at the first look; null: this approver knows no queue. */
export type OpenBoard = (() => Promise<Board>) | null;

@Controller('admin/queues')
export class QueuesController {
  private board: Promise<Board> | null = null;

  constructor(@Inject(QUEUE_BOARD) private readonly open: OpenBoard) {}

  @Get()
  entry(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answer(request, reply);
  }

  @Get('*')
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answer(request, reply);
  }

  private async answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (this.open === null) throw new DoorError('door.unknown', 'this approver has no queue to show');
    this.board ??= this.open();
    const path = (request.url.split('?', 1)[0] ?? '').slice(BOARD_PATH.length) || '/';
    const found = await (await this.board).get(path, request.query as Record<string, unknown>);
    if (found === null) throw new DoorError('door.unknown');
    send(found, reply);
  }
}

function send({ status, type, body }: BoardAnswer, reply: FastifyReply): void {
  void reply
    .code(status)
    .headers({ ...BOARD_HEADERS, 'content-type': type })
    .send(body);
}
