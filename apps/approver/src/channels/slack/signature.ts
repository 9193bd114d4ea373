/** Slack's request signature, version 0: over the raw bytes, within five minutes, compared in constant time. */
import { createHmac, timingSafeEqual } from 'node:crypto';

const WINDOW_SECONDS = 300;

export interface SignedRequest {
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
  readonly body: Buffer;
}

/** True for a request that Slack signed with this secret just now. `nowMs` by our clock. */
export function isSlacks(secret: string, { timestamp, signature, body }: SignedRequest, nowMs: number): boolean {
  if (timestamp === undefined || signature === undefined || !/^[0-9]{1,12}$/.test(timestamp)) return false;
  if (Math.abs(nowMs / 1_000 - Number(timestamp)) > WINDOW_SECONDS) return false;
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex');
  const expected = Buffer.from(`v0=${digest}`);
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
