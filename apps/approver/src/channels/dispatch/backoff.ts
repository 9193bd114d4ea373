/** When a card that did not go out is tried again. */

const FIRST_MS = 1_000;
const LONGEST_MS = 15 * 60_000;
/** About a day and a half of trying; the ask stays open all the same. */
export const MOST_ATTEMPTS = 150;

/** Milliseconds until the next attempt, doubling up to 15 minutes, with a fifth of jitter; null after the last one. */
export function nextAttemptMs(attempts: number, retryAfterMs: number | undefined, jitter: number): number | null {
  if (attempts >= MOST_ATTEMPTS) return null;
  const own = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(20, Math.max(0, attempts - 1)));
  return Math.max(retryAfterMs ?? 0, own * (1 + jitter / 5));
}
