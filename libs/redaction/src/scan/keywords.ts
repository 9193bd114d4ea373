/** Finds all keywords in one pass over a text, whatever their number (Aho and Corasick), without regard to ASCII case. */

/** Called with a keyword's number and the index of its last character. */
export type OnKeyword = (keyword: number, end: number) => void;

const WIDTH = 128;

/** The column of each ASCII character, capitals folded; 0 stands for every other character. */
const COLUMN = new Uint8Array(WIDTH).map((_, code) => (code >= 65 && code <= 90 ? code + 32 : code));

interface Machine {
  readonly next: Int32Array;
  /** Keywords that end in a state. */
  readonly ends: readonly (readonly number[])[];
  readonly isEnd: Uint8Array;
}

/** A finder for these keywords: lower-case ASCII. */
export function keywordFinder(keywords: readonly string[]): (text: string, found: OnKeyword) => void {
  const machine = link(keywords);
  return (text, found) => run(machine, text, found);
}

function link(keywords: readonly string[]): Machine {
  const size = keywords.reduce((sum, word) => sum + word.length, 1);
  const next = new Int32Array(size * WIDTH);
  const ends: number[][] = Array.from({ length: size }, () => []);
  let states = 1;
  keywords.forEach((word, index) => {
    let state = 0;
    for (let at = 0; at < word.length; at += 1) {
      const cell = state * WIDTH + (word.charCodeAt(at) & 127);
      if (next[cell] === 0) next[cell] = states++;
      state = next[cell] ?? 0;
    }
    ends[state]?.push(index);
  });
  complete(next, ends, states);
  return { next, ends, isEnd: Uint8Array.from(ends, (list) => (list.length > 0 ? 1 : 0)) };
}

/** Fills in where to go on after a mismatch, breadth first, so that running never steps back. */
function complete(next: Int32Array, ends: number[][], states: number): void {
  const fall = new Int32Array(states);
  const queue = [0];
  for (let head = 0; head < queue.length; head += 1) {
    const state = queue[head] ?? 0;
    for (let column = 0; column < WIDTH; column += 1) {
      const cell = state * WIDTH + column;
      const behind = state === 0 ? 0 : at(next, at(fall, state) * WIDTH + column);
      const child = at(next, cell);
      if (child !== 0) {
        fall[child] = behind;
        ends[child]?.push(...(ends[behind] ?? []));
        queue.push(child);
      } else next[cell] = behind;
    }
  }
}

function at(cells: Int32Array, index: number): number {
  return cells[index] ?? 0;
}

function run({ next, ends, isEnd }: Machine, text: string, found: OnKeyword): void {
  let state = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    state = code < WIDTH ? (next[state * WIDTH + (COLUMN[code] ?? 0)] ?? 0) : 0;
    if (isEnd[state] === 0) continue;
    for (const keyword of ends[state] ?? []) found(keyword, at);
  }
}
