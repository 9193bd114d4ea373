import { describe, expect, it } from '@jest/globals';
import { createDatabaseClock } from './database-clock.js';

describe("the database's clock", () => {
  it('goes on from what was told last, in the same form', () => {
    let ms = 1_000;
    const clock = createDatabaseClock(() => ms);
    expect(clock.now()).toBeNull();
    clock.told('2026-01-01T00:00:00.123456Z');
    expect(clock.now()).toBe('2026-01-01T00:00:00.123000Z');
    ms += 1_000.9;
    expect(clock.now()).toBe('2026-01-01T00:00:01.123000Z');
    clock.told('2025-12-31T23:59:59.999999Z');
    expect(clock.now()).toBe('2025-12-31T23:59:59.999000Z');
  });

  it('is not trusted for long, and not when it was told nonsense', () => {
    let ms = 0;
    const clock = createDatabaseClock(() => ms);
    clock.told('2026-01-01T00:00:00.000000Z');
    ms += 2_001;
    expect(clock.now()).toBeNull();
    clock.told('soon');
    expect(clock.now()).toBeNull();
  });
});
