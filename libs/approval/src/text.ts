/** Bounded, well-formed text: what agents and people write is cut and made storable before it enters an event. */

/** The first `limit` UTF-16 units of `text`, ending in `…` when cut; lone surrogates become U+FFFD. */
export function boundedText(text: string, limit: number): string {
  const cut = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return cut.replace(/\p{Cs}/gu, '\uFFFD');
}
