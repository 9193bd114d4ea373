import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '../metrics/metrics.js';
import { createLoadGuard } from './load-guard.js';

const limits = { maxInFlight: 2, maxBodyBytes: 100, maxLagMs: 1_000 };

describe('the load guard', () => {
  it('refuses requests beyond the limit, and takes them again once some ended', async () => {
    const { meter, text } = createMetrics();
    const guard = createLoadGuard({ limits, lagMs: () => 0, meter });
    const [leave] = [guard.enter(), guard.enter()];
    expect(() => guard.enter()).toThrow('overloaded');
    expect((await text()).body).toContain('countersign_refused_total{limit="in_flight"} 1');
    leave?.();
    leave?.();
    expect(guard.inFlight).toBe(1);
    guard.enter();
    expect(() => guard.enter()).toThrow('overloaded');
  });

  it('refuses while the event loop is behind', () => {
    let lag = 1_001;
    const guard = createLoadGuard({ limits, lagMs: () => lag });
    expect(() => guard.enter()).toThrow('overloaded');
    lag = 1_000;
    expect(() => guard.enter()).not.toThrow();
  });

  it('shares the budget of bodies, and gets back all of one that is refused', () => {
    const guard = createLoadGuard({ limits, lagMs: () => 0 });
    const [one, other] = [guard.body(), guard.body()];
    one.take(60);
    other.take(40);
    expect(() => other.take(1)).toThrow('overloaded');
    expect(guard.bodyBytes).toBe(60);
    one.release();
    one.release();
    expect(guard.bodyBytes).toBe(0);
    expect(() => guard.body().take(100)).not.toThrow();
  });
});
