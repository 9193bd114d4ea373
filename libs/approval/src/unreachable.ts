/** The end of an exhaustive switch: the compiler proves it is never reached, and should data disagree the safe result stands. */
export function unreachable<T>(_value: never, safe: T): T {
  return safe;
}
