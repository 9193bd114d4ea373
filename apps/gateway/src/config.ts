/** What a gateway may be told; everything has a default that suits one machine. */

export interface GatewayConfig {
  /** 0: any free port. */
  readonly port: number;
  readonly host: string;
  /** Names under which the gateway is reached besides the loopback's own. */
  readonly allowedHosts: readonly string[];
  /** Most agents that wait at once; more are refused as `overloaded`. */
  readonly maxWaiters: number;
  /** Characters of calls that are kept to be sent again. */
  readonly maxWaitingChars: number;
  /**
   * A call that no worker judged within this long is refused as `unavailable`. Longer than the 7.5 s after which a dead worker's
   * job runs again, and short enough that whoever needs no person hears within 15 s, whatever is away.
   */
  readonly judgeMs: number;
  /** How long a permit may wait to be redeemed, in seconds; its time begins when it is handed out. */
  readonly permitSeconds: number;
  /** Most connections of the line `/agents`, and most streams of server-sent events. */
  readonly maxSockets: number;
  readonly maxStreams: number;
  /** Pause between two looks of a stream at its session. */
  readonly streamPollMs: number;
}

export const GATEWAY_DEFAULTS: GatewayConfig = {
  port: 4610,
  host: '127.0.0.1',
  allowedHosts: [],
  maxWaiters: 20_000,
  maxWaitingChars: 256 * 1024 * 1024,
  judgeMs: 10_000,
  permitSeconds: 60,
  maxSockets: 5_000,
  maxStreams: 500,
  streamPollMs: 500,
};
