/** The bench of calls asks what it says: every call is allowed without a person, no two are alike, and unknown options are refused. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { policyDocumentSchema, toolCallBodySchema, type Facts, type ToolCallBody } from '@countersign/contracts';
import { compilePolicy, evaluate } from '@countersign/policy';
import { openedState, sessionFacts } from '@countersign/approval';

interface BenchCalls {
  bodyOf(sessionId: string, n: number): string;
}
interface BenchOptions {
  readOptions(args: readonly string[]): { seconds: number; rows: { name: string }[]; wants(build: string): boolean };
}

const load = async <T>(name: string): Promise<T> => (await import(`../../bench/calls/${name}.mjs`)) as T;

/** The session as a first call with this body opens it. */
function factsOf(body: ToolCallBody): Facts {
  const cwd = body.cwd ?? null;
  const named = { agent: 'claude-code', parentId: null, policy: 'default', home: null, labels: {}, tools: null };
  const opening = { ...named, mode: 'default' as const, cwd, roots: cwd === null ? [] : [cwd], silent: false };
  const state = openedState({ sessionId: body.sessionId, keyId: 'key', opening }, []);
  const session = sessionFacts(state, []);
  return {
    now: '2026-01-01T00:00:00.000000Z',
    session,
    resolvedPaths: body.resolvedPaths ?? {},
    protectedPaths: [],
    platform: 'linux',
  };
}

describe('the bench of calls', () => {
  it('asks calls that the policy `standard` allows, each with arguments of its own', async () => {
    const { bodyOf } = await load<BenchCalls>('calls');
    const compiled = compilePolicy(policyDocumentSchema.parse({}));
    if (!compiled.ok) throw new Error('the default policy does not compile');
    const seen = new Set<string>();
    for (let n = 0; n < 60; n += 1) {
      const body = toolCallBodySchema.parse(JSON.parse(bodyOf('s', n)));
      const { tool, args } = body;
      const call = { tool, args, argsHash: '', cwd: body.cwd ?? null, reportedMode: null, problem: null };
      expect([n, evaluate(call, compiled.policy, factsOf(body)).effect]).toEqual([n, 'allow']);
      seen.add(JSON.stringify([tool, args]));
    }
    expect(seen.size).toBe(60);
  });

  it('measures everything unless it is told what', async () => {
    const { readOptions } = await load<BenchOptions>('options');
    const all = readOptions([]);
    expect(all.rows.map(({ name }) => name)).toEqual(['1', '32', '128', 'one-session']);
    expect(['countersign', 'obvious', 'echo', 'embedded'].every((name) => all.wants(name))).toBe(true);
    const some = readOptions(['--only', 'countersign,128', '--seconds', '2']);
    expect(some).toMatchObject({ seconds: 2, rows: [{ name: '128' }] });
    expect(some.wants('obvious')).toBe(false);
  });

  it.each([['--only', 'everything'], ['--seconds', '0'], ['--fast']])('refuses %p %p', async (...args) => {
    const { readOptions } = await load<BenchOptions>('options');
    expect(() => readOptions(args.filter((arg) => arg !== undefined))).toThrow();
  });
});

const BENCHES = new URL('../../bench/', import.meta.url);
/** Named imports of built code, which no compiler looks at in a bench. */
const NAMED_IMPORT = /import \{([^}]*)\} from '((?:@countersign\/|\.{1,2}\/[^']*\/dist\/)[^']*)'/g;

interface NamedImport {
  readonly file: string;
  readonly from: string;
  readonly names: readonly string[];
}

function namedImports(): NamedImport[] {
  const files = readdirSync(BENCHES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.mjs'));
  return files.flatMap((file) =>
    [...readFileSync(new URL(file, BENCHES), 'utf8').matchAll(NAMED_IMPORT)].map(([, list = '', from = '']) => {
      const names = list.split(',').map((name) => name.trim().replace(/ as .*/, ''));
      return { file, from, names: names.filter((name) => name !== '') };
    }),
  );
}

describe('the benches', () => {
  it('import only what the rooms export', async () => {
    const imports = namedImports();
    expect(imports.length).toBeGreaterThan(10);
    for (const { file, from, names } of imports) {
      const target = from.startsWith('.') ? fileURLToPath(new URL(from, new URL(file, BENCHES))) : from;
      const exported = Object.keys((await import(target)) as object);
      expect([file, from, names.filter((name) => !exported.includes(name))]).toEqual([file, from, []]);
    }
  });
});
