/** Measures and traces a round from outside: what it decides is none of its business. */
import { NO_METER, NO_TRACING, type Meter, type Span, type Tracing } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import type { RoundItem, RoundResult } from './round-item.js';

export interface RoundObserver {
  readonly meter?: Meter | undefined;
  readonly tracing?: Tracing | undefined;
}

export type RunRound = (items: readonly RoundItem[]) => Promise<RoundResult>;
type RoundLedger = Pick<Ledger, 'append' | 'loadRound' | 'withLockedHeads'>;

/** A round in the trace of its first call, linked to those of the others; each call gets a span of its own beside it. */
export function observedRound(run: RunRound, { meter = NO_METER, tracing = NO_TRACING }: RoundObserver): RunRound {
  return async (items) => {
    const began = performance.now();
    const spans = tracing.on ? startSpans(tracing, items) : null;
    let failed = true;
    try {
      const result = await (spans === null ? run(items) : tracing.run(spans.round, () => run(items)));
      failed = false;
      countOutcomes(result, meter);
      return result;
    } finally {
      meter.observe('countersign_round_seconds', (performance.now() - began) / 1_000);
      meter.observe('countersign_round_calls', items.length);
      spans?.all.forEach((span) => span.end(failed));
    }
  };
}

/** The same ledger, with the time of its round trips. */
export function observedLedger(
  ledger: RoundLedger,
  { meter = NO_METER, tracing = NO_TRACING }: RoundObserver,
): RoundLedger {
  const timed = async <T>(name: 'append' | 'load', work: () => Promise<T>): Promise<T> => {
    const span = tracing.start(name, { kind: 'client', attributes: { 'db.system.name': 'postgresql' } });
    const began = performance.now();
    let failed = true;
    try {
      const result = await work();
      failed = false;
      return result;
    } finally {
      span.end(failed);
      if (name === 'append') meter.observe('countersign_append_seconds', (performance.now() - began) / 1_000);
    }
  };
  const append: RoundLedger['append'] = async (units) => {
    const results = await timed('append', () => ledger.append(units));
    const conflicts = results.filter((result) => 'conflict' in result).length;
    if (conflicts > 0) meter.count('countersign_round_conflicts_total', {}, conflicts);
    return results;
  };
  return {
    append,
    loadRound: (query) => timed('load', () => ledger.loadRound(query)),
    withLockedHeads: (heads, work) =>
      ledger.withLockedHeads(heads, (tx) =>
        work({
          loadRound: (query) => timed('load', () => tx.loadRound(query)),
          append: (units) => timed('append', () => tx.append(units)),
        }),
      ),
  };
}

function startSpans(tracing: Tracing, items: readonly RoundItem[]): { round: Span; all: Span[] } {
  const traces = items.flatMap(({ trace }) => trace ?? []);
  const [parent = null, ...links] = traces;
  const round = tracing.start('round', { kind: 'consumer', parent, links, attributes: { calls: items.length } });
  const link = round.context === null ? [] : [round.context];
  const judged = items.flatMap(({ call, trace }) => {
    if (trace === undefined || trace === null) return [];
    const { id: callId, sessionId } = call;
    return [tracing.start('evaluate', { parent: trace, links: link, attributes: { callId, sessionId } })];
  });
  return { round, all: [...judged, round] };
}

function countOutcomes({ settled, stopped }: RoundResult, meter: Meter): void {
  const groups = new Map<string, { decision: string; layer: string; count: number }>();
  for (const { outcome } of settled) {
    const { decision, layer } = outcome;
    const key = `${decision} ${layer}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { decision, layer, count: 1 });
    else group.count += 1;
  }
  for (const { decision, layer, count } of groups.values()) {
    meter.count('countersign_calls_total', { decision, layer }, count);
  }
  if (stopped.length > 0) meter.count('countersign_breakers_opened_total', {}, stopped.length);
}
