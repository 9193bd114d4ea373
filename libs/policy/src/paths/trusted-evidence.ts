/** Which evidence about a path counts where both the client and this host looked. */
import type { ResolvedPaths } from '@countersign/contracts';

/**
 * `given`: what the client sent. `own`: what this host found itself, for an agent that is on it. INVARIANT: the client cannot talk a link
 * away: whatever this host knows of a path stands, and the client is believed only where it found nothing at all there.
 */
export function trustedEvidence(given: ResolvedPaths, own: ResolvedPaths): ResolvedPaths {
  const trusted: ResolvedPaths = { ...own };
  for (const [path, evidence] of Object.entries(given)) {
    const found = own[path];
    if (found === undefined || (!found.exists && found.failed !== true && found.real === path))
      trusted[path] = evidence;
  }
  return trusted;
}
