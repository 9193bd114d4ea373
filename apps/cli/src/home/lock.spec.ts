/** One `up` per home: refused while the holder lives, healed when it is gone. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { takeLock } from './lock.js';

const folder = mkdtempSync(join(tmpdir(), 'countersign-lock-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'up.lock');

describe('takeLock', () => {
  it('is held once and free again after its release', async () => {
    const first = await takeLock(path);
    expect(first.ok).toBe(true);
    expect(await takeLock(path)).toEqual({ ok: false, holder: process.pid });
    if (first.ok) await first.lock.release();
    expect(existsSync(path)).toBe(false);
  });

  it('waits for a holder that says it is leaving', async () => {
    const first = await takeLock(path);
    if (!first.ok) throw new Error('held');
    await first.lock.leaving();
    setTimeout(() => void first.lock.release(), 1_500);
    const second = await takeLock(path);
    expect(second.ok).toBe(true);
    if (second.ok) await second.lock.release();
  });

  const stale: [string, object][] = [
    ['of a process that is gone', { pid: 2 ** 22 + 1, started: '1' }],
    ['that holds nothing', {}],
  ];
  // Only Linux tells when a process started.
  if (process.platform === 'linux')
    stale.push(['of an earlier process with the same id', { pid: process.pid, started: '1' }]);

  it.each(stale)('takes over a lock %s', async (_name, content) => {
    writeFileSync(path, JSON.stringify(content));
    const lock = await takeLock(path);
    expect(lock.ok).toBe(true);
    expect(readFileSync(path, 'utf8')).toContain(String(process.pid));
    if (lock.ok) await lock.lock.release();
  });

  it('lets one of many starters take a stale lock over', async () => {
    writeFileSync(path, '');
    const locks = await Promise.all(Array.from({ length: 20 }, () => takeLock(path)));
    expect(locks.filter((lock) => lock.ok)).toHaveLength(1);
    expect(locks.filter((lock) => !lock.ok && lock.holder === process.pid)).toHaveLength(19);
  });
});
