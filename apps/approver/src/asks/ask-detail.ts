/** An ask with what helps to answer it: the verdict in words, and the least grants that "always" could make. */
import { DoorError, type AskDetail } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { explain, suggestGrants } from '@countersign/policy';
import { sceneOf } from './ask-scene.js';

/** Throws `ask.unknown`. An ask that ended has no suggestions. */
export async function askDetail(ledger: Ledger, tenantId: string, askId: string): Promise<AskDetail> {
  const found = await ledger.asks.getWhole(tenantId, askId);
  if (found === null) throw new DoorError('ask.unknown');
  const { view: ask, opened } = found;
  const scene = await sceneOf(ledger, tenantId, opened);
  const explanation = explain(opened.verdict);
  const late = ask.status === 'open' ? [] : ((await ledger.asks.late(tenantId, [askId]))[askId] ?? []);
  if (scene === null || ask.status !== 'open') return { ...ask, explanation, suggestions: [], late };
  const offered = suggestGrants(scene.call, opened.verdict, scene.policy, scene.facts);
  // A pattern with a marker of redaction in it would never match the call that it was made from.
  const suggestions = offered
    .filter(({ pattern }) => !pattern.includes('[redacted:'))
    .map(({ pattern, preview }) => ({
      pattern,
      preview: { wouldMatch: [...preview.wouldMatch], wouldNotMatch: [...preview.wouldNotMatch] },
    }));
  return { ...ask, explanation, suggestions, late };
}
