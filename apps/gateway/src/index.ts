/** The agents' door: tool calls, sessions and hooks over HTTP. */
export { GATEWAY_DEFAULTS, type GatewayConfig } from './config.js';
export { startGateway, type RunningGateway, type StartGateway } from './start-gateway.js';
