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
  /** A call that the worker did not judge within this long is refused as `unavailable`. */
  readonly judgeMs: number;
}

export const GATEWAY_DEFAULTS: GatewayConfig = {
  port: 4610,
  host: '127.0.0.1',
  allowedHosts: [],
  maxWaiters: 20_000,
  maxWaitingChars: 256 * 1024 * 1024,
  judgeMs: 30_000,
};
