/** `docs/seeds.md` names only rows, specs and titles that are there, leaves no row of a listed statement out, and counts right. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const ROOT = new URL('../../', import.meta.url);
const ACCEPTANCE = new URL('test/data/acceptance/', ROOT);
const DOCUMENT = readFileSync(new URL('docs/seeds.md', ROOT), 'utf8');

interface Row {
  readonly id: string;
  readonly section?: string;
}

/** A line of a table: `rows` and `specs` are what its cells name. */
interface Item {
  readonly id: string;
  readonly cells: string;
  readonly status: string;
  readonly rows: readonly string[];
  readonly specs: readonly Spec[];
}

interface Spec {
  readonly path: string;
  readonly titles: readonly string[];
}

function rowsOf(file: string): Row[] {
  const lines = readFileSync(new URL(file, ACCEPTANCE), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Row);
}

/** Paths of all specs, from the root. */
function specsBelow(folder: string): string[] {
  const entries = readdirSync(new URL(folder, ROOT), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = `${folder}${entry.name}`;
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : specsBelow(`${path}/`);
    return entry.name.endsWith('.spec.ts') ? [path] : [];
  });
}

/** `A-bash-008..041` is every row from the first to the last. */
function expand(text: string): string[] {
  const [first = '', last] = text.split('..');
  if (last === undefined) return [first];
  const digits = last.length;
  const stem = first.slice(0, -digits);
  const from = Number(first.slice(-digits));
  const size = Math.max(Number(last) - from + 1, 0);
  return Array.from({ length: size }, (_, at) => stem + String(from + at).padStart(digits, '0'));
}

function namedRows(text: string): string[] {
  const found = text.matchAll(/`((?:[A-D]|seq)(?:-[a-z]+)?-\d+(?:\.\.\d+)?)`/g);
  return [...found].flatMap(([, name = '']) => expand(name));
}

function namedSpecs(text: string): Spec[] {
  const found = text.matchAll(/`([\w./-]+\.spec\.ts)`((?:,? "[^"]+")*)/g);
  return [...found].map(([, path = '', titles = '']) => ({
    path,
    titles: [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title),
  }));
}

function itemsIn(document: string): Item[] {
  const lines = document.split('\n').filter((line) => /^\| [ABCDX]\.[A-Z\d]/.test(line));
  return lines.map((line) => {
    const [id = '', what = '', test = '', ...rest] = line.slice(2, -2).split(' | ');
    const status = rest.join(' | ');
    return {
      id,
      cells: `${what} | ${test}`,
      status,
      rows: [...namedRows(test), ...namedRows(status)],
      specs: namedSpecs(test),
    };
  });
}

const specs = ['apps/', 'libs/', 'test/'].flatMap(specsBelow);
const rows = readdirSync(ACCEPTANCE)
  .filter((file) => file.endsWith('.jsonl'))
  .flatMap(rowsOf);
const items = itemsIn(DOCUMENT);
const ids = new Set(items.map((item) => item.id));

function filesOf(spec: Spec): string[] {
  return specs.filter((path) => path.endsWith(`/${spec.path}`));
}

describe('docs/seeds.md', () => {
  it('has a line for each statement, once', () => {
    expect(items.length).toBeGreaterThan(300);
    expect(items.map((item) => item.id).filter((id, at, all) => all.indexOf(id) !== at)).toEqual([]);
  });

  it('names only acceptance rows that are there', () => {
    const known = new Set(rows.map((row) => row.id));
    const missing = [...items.flatMap((item) => item.rows), ...namedRows(DOCUMENT)].filter((id) => !known.has(id));
    expect(missing).toEqual([]);
  });

  it('leaves out no row of a statement that it lists', () => {
    const named = new Set(items.flatMap((item) => item.rows.map((row) => `${item.id} ${row}`)));
    const wanted = rows.filter((row) => row.section !== undefined && ids.has(row.section));
    expect(wanted.length).toBeGreaterThan(600);
    expect(wanted.map((row) => `${String(row.section)} ${row.id}`).filter((pair) => !named.has(pair))).toEqual([]);
  });

  it('names only specs that are there, each so that no other could be meant', () => {
    const all = [...items.flatMap((item) => item.specs), ...namedSpecs(DOCUMENT)];
    const wrong = all.filter((spec) => filesOf(spec).length !== 1 && !specs.includes(spec.path));
    expect(wrong.map((spec) => [spec.path, filesOf(spec)])).toEqual([]);
  });

  it('names only titles that stand in their specs', () => {
    const wrong = items.flatMap((item) =>
      item.specs.flatMap((spec) => {
        const text = filesOf(spec).map((path) => readFileSync(new URL(path, ROOT), 'utf8'));
        return spec.titles
          .filter((title) => !text.join('').includes(title))
          .map((title) => [item.id, spec.path, title]);
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('calls covered only what some test runs', () => {
    const idle = items.filter(
      (item) => item.status.startsWith('covered') && item.specs.length === 0 && namedRows(item.cells).length === 0,
    );
    expect(idle.map((item) => item.id)).toEqual([]);
  });

  it('names every test that was written for a statement', () => {
    const source = readFileSync(new URL('libs/policy/src/cases/seeds.spec.ts', ROOT), 'utf8');
    const written = [...source.matchAll(/\bit\('([A-Z]\.\S+) /g)].map(([, id = '']) => id);
    const named = items.flatMap((item) =>
      item.specs.flatMap((spec) => spec.titles.map((title) => title.split(' ')[0])),
    );
    expect(written.length).toBeGreaterThan(20);
    expect(written.filter((id) => !named.includes(id))).toEqual([]);
  });

  it('counts its statements right', () => {
    const count = (status: string) => String(items.filter((item) => item.status.startsWith(status)).length);
    const sums = `${count('covered')} covered (${count('covered;')} of them but for a part at runtime), ${count('runtime')} runtime`;
    const total = `${String(items.length)} statements: ${sums}, ${count('not yet')} not yet.`;
    expect(DOCUMENT).toContain(total);
    expect(
      items.filter((item) => !/^(?:covered$|covered; runtime: .|runtime: .|not yet: .)/.test(item.status)),
    ).toEqual([]);
  });
});
