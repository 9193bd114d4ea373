/** Serves the page: static files only, the same for everybody; what they show comes through the other doors. */
import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { DoorError } from '@countersign/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PAGE_HEADERS } from './page-headers.js';
import { PAGE_FILES } from '../tokens.js';
import type { PageFile } from './page-files.js';

@Controller()
export class PageController {
  constructor(@Inject(PAGE_FILES) private readonly files: ReadonlyMap<string, PageFile>) {}

  @Get('/')
  inbox(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.send('index.html', request, reply);
  }

  @Get('/sign-in')
  signIn(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.send('sign-in.html', request, reply);
  }

  @Get('/page/:file')
  file(@Param('file') file: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    if (file.endsWith('.html')) throw new DoorError('door.unknown');
    this.send(file, request, reply);
  }

  private send(name: string, request: FastifyRequest, reply: FastifyReply): void {
    const file = this.files.get(name);
    if (!file) throw new DoorError('door.unknown');
    void reply.headers({ ...PAGE_HEADERS, etag: file.etag, 'content-type': file.type });
    if (request.headers['if-none-match'] === file.etag) void reply.code(304).send();
    else void reply.send(file.bytes);
  }
}
