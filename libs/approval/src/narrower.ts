/** The narrower of two lists of tools. */

/** The tools that stand in both lists, in the order of the first; null is every tool. */
export function narrowerTools(a: readonly string[] | null, b: readonly string[] | null): readonly string[] | null {
  if (a === null) return b;
  return b === null ? a : a.filter((tool) => b.includes(tool));
}
