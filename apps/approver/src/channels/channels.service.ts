/** Runs the channels: hears of asks on the bus, looks into the ledger for what no message told, stops in order. */
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Ledger } from '@countersign/ledger';
import type { Bus, Unsubscribe } from '@countersign/queue';
import { BUS, CHANNELS, LEDGER } from '../tokens.js';
import { createDispatcher, type Dispatcher } from './dispatch/dispatcher.js';
import type { OpenChannels } from './open-channels.js';

/** How often the ledger is looked into: cards are closed within 2 s even when every message is lost. */
const SWEEP_MS = 1_500;

@Injectable()
export class ChannelsService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('channels');
  private readonly dispatcher: Dispatcher;
  private readonly ends: Unsubscribe[] = [];
  private sweep: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> = Promise.resolve();
  private stopped = false;
  private failing = false;

  constructor(
    @Inject(LEDGER) ledger: Ledger,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(CHANNELS) private readonly open: OpenChannels,
  ) {
    this.dispatcher = createDispatcher({
      ledger,
      channels: open.channels,
      random: Math.random,
      onGivenUp: (problem) => this.log.warn(`given up: ${problem}`),
      onError: (error) => this.report(error),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.open.channels.length === 0) return;
    await this.open.start();
    this.ends.push(await this.bus.onOpened(({ tenantId, askId }) => void this.dispatcher.tell(tenantId, askId)));
    this.ends.push(await this.bus.onDecided(({ tenantId, askId }) => void this.dispatcher.end(tenantId, askId)));
    this.ends.push(await this.bus.onLate(({ tenantId, askId }) => void this.dispatcher.late(tenantId, askId)));
    this.plan();
  }

  /** Cards that are on their way go out first; what was not begun is found by the next process. */
  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.sweep);
    await Promise.all(this.ends.splice(0).map((end) => end()));
    await this.sweeping;
    await this.dispatcher.idle();
    await Promise.all(this.open.channels.map((channel) => channel.stop()));
  }

  private plan(): void {
    if (this.stopped) return;
    this.sweep = setTimeout(() => {
      this.sweeping = this.dispatcher.sweep().then(() => {
        this.failing = false;
        this.plan();
      });
    }, SWEEP_MS);
  }

  /** One line for each run of failures: the next look tries all of it again. */
  private report(error: unknown): void {
    if (!this.failing) this.log.error(`channels: ${error instanceof Error ? error.message : 'failed'}`);
    this.failing = true;
  }
}
