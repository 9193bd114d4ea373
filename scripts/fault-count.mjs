/**
 * The faults that were reported elsewhere and must not happen here: tests are named after them, `C12 the producer fails fast`. Tells
 * how many of them ran.
 */

/** Series of faults: those that have a test, by number. A series is complete when every number of it has one. */
export const FAULT_SERIES = {
  // Of B25, which is four faults, two must have a test; B27 and those above 29 are not of this series.
  B: [...range(1, 24), '25a', '25c', '26', '28', '29'],
  C: range(1, 32),
};

function range(from, to) {
  return Array.from({ length: to - from + 1 }, (_, index) => String(from + index).padStart(2, '0'));
}

/** Ids such as `C12` and `B25a` of a series, in order. */
export const idsOf = (series) => FAULT_SERIES[series].map((number) => `${series}${number}`);

/** The id that a test is named after; null: it is named after none. */
export const faultOf = (title) => /^([A-Z]\d{2}[a-d]?)\b/.exec(title)?.[1] ?? null;

/** Lines for people, from Jest's JSON report: of each series how many ran, and which did not or failed. */
export function tellFaults(report) {
  const passed = new Set();
  const failed = new Set();
  for (const file of report.testResults) {
    for (const { title, status } of file.assertionResults) {
      const id = faultOf(title);
      if (id === null) continue;
      if (status === 'passed') passed.add(id);
      if (status === 'failed') failed.add(id);
    }
  }
  return Object.keys(FAULT_SERIES).map((series) => {
    const wanted = idsOf(series);
    const ran = wanted.filter((id) => passed.has(id) || failed.has(id));
    const missing = wanted.filter((id) => !ran.includes(id));
    const bad = wanted.filter((id) => failed.has(id));
    const notes = [
      ...(missing.length > 0 ? [`not run: ${missing.join(' ')}`] : []),
      ...(bad.length > 0 ? [`failed: ${bad.join(' ')}`] : []),
    ];
    return `faults: ${series} ${ran.length} of ${wanted.length} ran${notes.map((note) => `; ${note}`).join('')}`;
  });
}
