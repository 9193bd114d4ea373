/** Makes a failing text small: takes pieces out as long as it still fails. */

/** The smallest text that was found to fail still, in at most `mostTries` tries; `fails` must hold for the text given. */
export function minimise(text: string, fails: (text: string) => boolean, mostTries = 2_000): string {
  let smallest = text;
  let tries = 0;
  for (let size = Math.ceil(text.length / 2); size >= 1;) {
    const shorter = withoutOnePiece(smallest, size, (candidate) => {
      tries += 1;
      return tries <= mostTries && fails(candidate);
    });
    if (shorter !== null) smallest = shorter;
    else size = size === 1 ? 0 : Math.ceil(size / 2);
  }
  return smallest;
}

function withoutOnePiece(text: string, size: number, fails: (text: string) => boolean): string | null {
  for (let at = 0; at < text.length; at += size) {
    const candidate = text.slice(0, at) + text.slice(at + size);
    if (fails(candidate)) return candidate;
  }
  return null;
}
