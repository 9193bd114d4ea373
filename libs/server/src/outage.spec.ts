/** An outage is one line at its beginning and one at its end, whatever fails meanwhile. */
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createMetrics } from './metrics/metrics.js';
import { watchOutages, type OutageWatch } from './outage.js';

jest.setTimeout(60_000);

interface Line {
  readonly level: 'warn' | 'info';
  readonly fields: Record<string, unknown>;
}

const watches: OutageWatch[] = [];
afterEach(async () => {
  await Promise.all(watches.splice(0).map((watch) => watch.stop()));
});

function bench() {
  const service = { answers: true, pings: 0 };
  const lines: Line[] = [];
  const write = (level: Line['level']) => (fields: object) => void lines.push({ level, fields: { ...fields } });
  const metrics = createMetrics();
  const watch = watchOutages({
    service: 'queue',
    ping: async () => {
      service.pings += 1;
      if (!service.answers) throw new Error('away');
    },
    log: { warn: write('warn'), info: write('info') },
    meter: metrics.meter,
    everyMs: 10,
  });
  watches.push(watch);
  return { service, lines, watch, metrics };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}

describe('an outage', () => {
  it('is told once, counted, and told to be over', async () => {
    const { service, lines, watch, metrics } = bench();
    await until(() => service.pings > 2);
    service.answers = false;
    for (let index = 0; index < 500; index += 1) watch.failed(new Error('ECONNREFUSED'));
    await until(() => !watch.up);
    for (let index = 0; index < 500; index += 1) watch.failed(new Error('ECONNREFUSED'));
    const during = (await metrics.text()).body;
    expect(during).toContain('countersign_service_up{service="queue"} 0');
    expect(during).toContain('countersign_outages_total{service="queue"} 1');
    expect(during).toContain('countersign_service_errors_total{service="queue"} 1000');
    service.answers = true;
    await until(() => watch.up);
    expect(lines).toEqual([
      { level: 'warn', fields: { service: 'queue', cause: 'ECONNREFUSED' } },
      { level: 'info', fields: { service: 'queue', ms: expect.any(Number), failures: 1_000 } },
    ]);
    expect((await metrics.text()).body).toContain('countersign_service_up{service="queue"} 1');
  });

  it('is found without any report', async () => {
    const { service, lines, watch } = bench();
    service.answers = false;
    await until(() => !watch.up);
    expect(lines).toHaveLength(1);
  });

  it('is none while the service answers: a single connection may break', async () => {
    const { service, lines, watch } = bench();
    watch.failed(new Error('reset'));
    const pings = service.pings;
    await until(() => service.pings > pings + 2);
    expect(watch.up).toBe(true);
    expect(lines).toEqual([]);
  });
});
