/** The four boundary gates catch every seeded violation, and pass an innocent file. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

interface Report {
  projects: { name: string; tags: string[] }[];
  violations: { name: string; gate: string; caught: boolean; found: string[] }[];
  clean: { compiler: string[]; lint: string[] };
}

const script = path.resolve('test/gates/check.mjs');
const report = JSON.parse(
  execFileSync(process.execPath, [script], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
    maxBuffer: 1 << 24,
  }),
) as Report;

describe('boundary gates', () => {
  it('has at least a dozen seeded violations, some for every gate', () => {
    expect(report.violations.length).toBeGreaterThanOrEqual(12);
    expect(new Set(report.violations.map((item) => item.gate))).toEqual(new Set(['compiler', 'lint', 'boundaries']));
  });

  it.each(report.violations)('catches $name', ({ caught, found }) => {
    expect({ caught, found }).toEqual({ caught: true, found });
  });

  it('passes an innocent file', () => {
    expect(report.clean).toEqual({ compiler: [], lint: [] });
  });

  it.each(report.projects)('gives $name a layer and a room', ({ tags }) => {
    expect(tags.filter((tag) => tag.startsWith('layer:'))).toHaveLength(1);
    expect(tags.filter((tag) => tag.startsWith('room:'))).toHaveLength(1);
  });
});
