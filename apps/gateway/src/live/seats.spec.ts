import { describe, expect, it } from '@jest/globals';
import { Seats } from './seats.js';

const limits = { own: 2, all: 3 };

describe('seats', () => {
  it('are counted when they are taken, by key and in all', () => {
    const seats = new Seats();
    const first = seats.take('a', limits);
    expect(seats.take('a', limits)).toBeInstanceOf(Function);
    expect(seats.take('a', limits)).toBe('own');
    expect(seats.take('b', limits)).toBeInstanceOf(Function);
    expect(seats.take('c', limits)).toBe('all');
    if (typeof first === 'string') throw new Error(first);
    first();
    expect(seats.take('c', limits)).toBeInstanceOf(Function);
  });

  it('are given back once', () => {
    const seats = new Seats();
    const leave = seats.take('a', limits);
    seats.take('a', limits);
    if (typeof leave === 'string') throw new Error(leave);
    leave();
    leave();
    expect(seats.take('a', limits)).toBeInstanceOf(Function);
    expect(seats.take('a', limits)).toBe('own');
  });
});
