import { describe, expect, it } from '@jest/globals';
import { createHostCheck } from './host-check.js';

describe('the check of Host and Origin', () => {
  const isOurs = createHostCheck({ host: '127.0.0.1', allowedHosts: ['desk.example'] });

  it('remembers names that passed, and no others', () => {
    for (let time = 0; time < 3; time += 1) {
      expect(isOurs({ host: '127.0.0.1:4610' })).toBe(true);
      expect(isOurs({ host: 'desk.example' })).toBe(true);
      expect(isOurs({ host: 'evil.example' })).toBe(false);
      expect(isOurs({ host: '127.0.0.1:4610@evil.example' })).toBe(false);
      expect(isOurs({})).toBe(false);
    }
  });

  it('looks at the Origin of a name that passed before', () => {
    expect(isOurs({ host: '127.0.0.1:4610' })).toBe(true);
    expect(isOurs({ host: '127.0.0.1:4610', origin: 'http://evil.example' })).toBe(false);
    expect(isOurs({ host: '127.0.0.1:4610', origin: 'http://127.0.0.1:4610' })).toBe(true);
    expect(isOurs({ host: '127.0.0.1:4610', origin: 'https://desk.example' })).toBe(true);
  });

  it('goes on checking when it remembers as many as it may', () => {
    for (let port = 1; port < 300; port += 1) expect(isOurs({ host: `localhost:${port}` })).toBe(true);
    expect(isOurs({ host: 'localhost:300' })).toBe(true);
    expect(isOurs({ host: 'evil.example:300' })).toBe(false);
  });
});
