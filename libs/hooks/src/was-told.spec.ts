import { describe, expect, it } from '@jest/globals';
import { HOOK_FAILURES } from '@countersign/contracts';
import { wasTold } from './was-told.js';

const HOUR = 3_600_000;

describe('an observer', () => {
  it('was told when it answered, whatever it answered', () => {
    for (const failure of [null, 'error', 'refused', 'malformed'] as const) expect(wasTold({ failure }, 0)).toBe(true);
  });
  it('that was not even tried is told later, however long that takes', () => {
    for (const failure of ['circuit_open', 'busy'] as const) expect(wasTold({ failure }, 24 * HOUR)).toBe(false);
  });
  it('that cannot be reached is given up after a quarter of an hour', () => {
    for (const failure of ['unreachable', 'timeout'] as const) {
      expect(wasTold({ failure }, 14 * 60_000)).toBe(false);
      expect(wasTold({ failure }, 15 * 60_000)).toBe(true);
      expect(wasTold({ failure }, Number.NaN)).toBe(true);
    }
  });
  it('has an answer for every failure', () => {
    for (const failure of HOOK_FAILURES) expect(typeof wasTold({ failure }, HOUR)).toBe('boolean');
  });
});
