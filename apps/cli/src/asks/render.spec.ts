import { describe, expect, it } from '@jest/globals';
import { endLine } from './render.js';

describe('the end of an ask', () => {
  it('says when something else was approved than was asked about', () => {
    const end = { status: 'approved', resolvedBy: 'Ann', resolvedVia: 'web', resolvedAt: '2026-01-01T00:00:00Z' };
    expect(endLine(end)).toBe('approved by Ann via web at 2026-01-01T00:00:00Z');
    expect(endLine({ ...end, edited: true })).toBe(
      'approved with other arguments by Ann via web at 2026-01-01T00:00:00Z',
    );
  });
});
