/** Compares what a step showed with what its row expects. A field that nobody can look at is a difference, never skipped. */

/** How to see each field that a row may name. */
export type Observed = Readonly<Record<string, (expected: unknown) => unknown>>;

/** Fields whose expectation is not plain equality: (seen, expected) -> holds. */
const RELATIONS: Readonly<Record<string, (seen: unknown, expected: unknown) => boolean>> = {
  levelAtLeast: (seen, expected) => Number(seen) >= Number(expected),
  directiveOneOf: (seen, expected) => Array.isArray(expected) && expected.includes(seen),
  riskLevelIn: (seen, expected) => Array.isArray(expected) && expected.includes(seen),
  additionalContextContains: (seen, expected) =>
    Array.isArray(expected) && expected.every((text) => String(seen).includes(String(text))),
  outputLengthAtMost: (seen, expected) => typeof seen === 'number' && seen > 0 && seen <= Number(expected),
  outputExcludes: (seen, expected) => typeof seen === 'string' && seen !== '' && !seen.includes(String(expected)),
  hookCalled: (seen, expected) => Array.isArray(seen) && seen.includes(expected),
  event: (seen, expected) => seen === expected || (Array.isArray(seen) && seen.includes(expected)),
  eventOrder: (seen, expected) => Array.isArray(seen) && Array.isArray(expected) && inOrder(seen, expected),
  injectedText: (seen, expected) => String(seen).includes(String(expected)),
};

/** One sentence for each field that differs. */
export async function differences(
  expected: Readonly<Record<string, unknown>>,
  observed: Observed,
  session: string,
): Promise<string[]> {
  const out: string[] = [];
  for (const [field, raw] of Object.entries(expected)) {
    const wanted: unknown = JSON.parse(JSON.stringify(raw).replaceAll('$session', session));
    out.push(...(await differenceOf(field, wanted, observed[field])));
  }
  return out;
}

async function differenceOf(field: string, wanted: unknown, look: Observed[string] | undefined): Promise<string[]> {
  if (look === undefined) return [`nobody looks at \`${field}\``];
  let seen: unknown;
  try {
    seen = await look(wanted);
  } catch (error) {
    return [`${field} cannot be seen: ${error instanceof Error ? error.message : String(error)}`];
  }
  const holds = RELATIONS[field] ?? contains;
  return holds(seen, wanted) ? [] : [`${field} is ${JSON.stringify(seen)}, expected ${JSON.stringify(wanted)}`];
}

/** Is everything that is expected there? Lists must be equal in length and order; objects may hold more. */
export function contains(seen: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return Object.is(seen, wanted);
  if (typeof seen !== 'object' || seen === null) return false;
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(seen) && seen.length === wanted.length && wanted.every((item, place) => contains(seen[place], item))
    );
  }
  return Object.entries(wanted).every(([key, value]) => contains((seen as Record<string, unknown>)[key], value));
}

function inOrder(seen: readonly unknown[], expected: readonly unknown[]): boolean {
  let from = 0;
  return expected.every((name) => {
    const at = seen.indexOf(name, from);
    from = at + 1;
    return at >= 0;
  });
}
