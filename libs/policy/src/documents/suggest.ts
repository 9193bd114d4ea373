/** "Did you mean": the nearest of the names that are known. */

/** Number of edits (insert, delete, replace, swap of neighbours) between two short texts. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + cost);
      if (swapped(a, b, i, j)) best = Math.min(best, (before[j - 2] ?? 0) + 1);
      row.push(best);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}

function swapped(a: string, b: string, i: number, j: number): boolean {
  return i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
}

/** The known name that was most likely meant, or undefined when none is near. Case, `-` and `_` do not count. */
export function nearest(input: string, known: readonly string[]): string | undefined {
  if (input.length > 64) return undefined;
  const plain = fold(input);
  const limit = Math.max(1, Math.floor(plain.length / 3));
  let best: { name: string; distance: number } | undefined;
  for (const name of known) {
    const distance = editDistance(plain, fold(name));
    if (distance <= limit && distance < (best?.distance ?? Infinity)) best = { name, distance };
  }
  return best?.name;
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, '');
}
