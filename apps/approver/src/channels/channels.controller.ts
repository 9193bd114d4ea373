/** The channels' door: where questions of a tenant are sent, and which of these places take nothing any more. */
import { Controller, Get, Inject } from '@nestjs/common';
import { CurrentPrincipal, type Principal } from '@countersign/server';
import { CHANNELS } from '../tokens.js';
import type { PushedChannel } from './channel.js';
import type { OpenChannels } from './open-channels.js';

/** `closed` null: it is written to. */
interface ChannelPlace {
  readonly channel: PushedChannel;
  readonly target: string;
  readonly closed: { readonly problem: string; readonly closedAt: string } | null;
}

@Controller('/v1/channels')
export class ChannelsController {
  constructor(@Inject(CHANNELS) private readonly open: OpenChannels) {}

  @Get()
  async list(@CurrentPrincipal() { tenantId }: Principal): Promise<{ items: ChannelPlace[]; next: null }> {
    const places = this.open.channels
      .filter((channel) => channel.tenantId === tenantId)
      .flatMap((channel) => channel.targets.map((target) => ({ channel, target })));
    const items = places.map(async ({ channel, target }) => ({
      channel: channel.name,
      target,
      closed: (await channel.closedTarget?.(target)) ?? null,
    }));
    return { items: await Promise.all(items), next: null };
  }
}
