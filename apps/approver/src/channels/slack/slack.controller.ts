/** `POST /channels/slack/interactions`: presses and dialogs, signed by Slack, acknowledged at once. */
import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { DoorError } from '@countersign/contracts';
import { readBytes, type BodyShare } from '@countersign/server';
import type { IncomingMessage } from 'node:http';
import { SLACK_WORKSPACES } from '../../tokens.js';
import { SlackBusy, type SlackDesk } from './slack-desk.js';
import { isSlacks } from './signature.js';

export const SLACK_ROUTE = '/channels/slack/interactions';

/** A workspace that sends its interactions over HTTP. */
export interface SlackWorkspaceDoor {
  readonly signingSecret: string;
  readonly desk: SlackDesk;
}

/** Slack's payloads hold the message and the view, both bounded by Slack. */
const BODY_LIMIT = 1024 * 1024;

interface RawRequest {
  readonly raw: IncomingMessage;
  readonly bodyShare: BodyShare | null;
}

@Controller('channels/slack')
export class SlackController {
  constructor(@Inject(SLACK_WORKSPACES) private readonly workspaces: readonly SlackWorkspaceDoor[]) {}

  /** An empty answer is the acknowledgement; a dialog may be answered with what is wrong in it. */
  @Post('interactions')
  @HttpCode(200)
  async take(@Req() { raw, bodyShare }: RawRequest): Promise<object | undefined> {
    const body = await readBytes(raw, { limit: BODY_LIMIT, drainLimit: 2, share: bodyShare });
    const workspace = this.workspaces.find(({ signingSecret }) =>
      isSlacks(signingSecret, signedBy(raw, body), Date.now()),
    );
    // No hint which part was wrong: the secret, the time or the body.
    if (!workspace) throw new DoorError('auth.missing', 'the request carries no valid signature of this moment');
    try {
      return (await workspace.desk.take(payloadOf(body))) ?? undefined;
    } catch (error) {
      if (error instanceof SlackBusy) throw new DoorError('overloaded');
      throw error;
    }
  }
}

function signedBy({ headers }: IncomingMessage, body: Buffer) {
  return {
    timestamp: single(headers['x-slack-request-timestamp']),
    signature: single(headers['x-slack-signature']),
    body,
  };
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? undefined : header;
}

function payloadOf(body: Buffer): unknown {
  const payload = new URLSearchParams(body.toString('utf8')).get('payload');
  try {
    return payload === null ? null : JSON.parse(payload);
  } catch {
    throw new DoorError('request.malformed', 'the payload is not JSON');
  }
}
