/** `POST /hooks/:agent`: an agent's own hook in, its own reply out, always 200. */
import { Controller, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { isAgentName, renderReply, type RenderedReply } from '@countersign/agents';
import type { DoorError } from '@countersign/contracts';
import { noteForLog } from '@countersign/server';
import type { RawReply, RawRequest } from '../door-request.js';
import { goneWith } from '../waiting/gone.js';
import { answerHook, type HookDeps } from './answer-hook.js';
import { readHookBody } from './hook-body.js';

export const HOOK_ROUTE = '/hooks/:agent';
export const HOOK_DEPS = Symbol('hook dependencies');

@Controller('hooks')
export class HooksController {
  constructor(@Inject(HOOK_DEPS) private readonly deps: HookDeps) {}

  @Post(':agent')
  @HttpCode(200)
  async answer(
    @Param('agent') agent: string,
    @Req() request: RawRequest & Parameters<typeof noteForLog>[0],
    @Res({ passthrough: true }) reply: RawReply,
  ): Promise<RenderedReply> {
    const gone = goneWith(reply.raw);
    const body = await readHookBody(request.raw, request.bodyShare);
    if (!isAgentName(agent)) return refuseAnybody(`\`${agent}\` is no agent whose hooks are understood`);
    const { authorization } = request.raw.headers;
    const note = (fields: Record<string, string>): void => noteForLog(request, fields);
    return answerHook({ agent, body, authorization, gone, note }, this.deps);
  }
}

/** What fails before the controller (a foreign Host, a body that breaks off) is told in the form of agents, too. */
export function renderHookFailure(error: DoorError, request: { method: string; url: string }) {
  if (request.method !== 'POST' || !isHookUrl(request.url)) return null;
  return { status: 200, body: refuseAnybody(`Countersign: ${error.message}`) };
}

/** Every spelling of a url at or below `/hooks`: one that no route knows must not answer an agent with a bare 404. */
function isHookUrl(url: string): boolean {
  const path = url.split('?', 1)[0] ?? '';
  return /^\/+hooks(\/|$)/i.test(decodedOr(path));
}

function decodedOr(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The one form that is a refusal whatever the event; other agents read the same keys or nothing at all. */
function refuseAnybody(reason: string): RenderedReply {
  return renderReply('claude-code', null, { kind: 'refusal', reason });
}
