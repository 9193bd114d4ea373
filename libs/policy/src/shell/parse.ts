/** The one door to the shell parser: owns the guards against what it lets through, and hands its tree to the walk. */
import { parse } from 'unbash';
import { hasControl, hasInvisible, isPlain } from './characters.js';
import type { ShellDoubt, ShellScript } from './tree.js';
import { walkScript } from './walk.js';

/** Largest script that is parsed at all, in UTF-16 code units. */
export const MAX_SCRIPT_LENGTH = 65_536;
const MAX_BRACKETS = 48;

/**
 * Parses a script. Total: never throws, never loops. Over `maxLength` code units the script is still read (so that denies
 * can see it) but carries the doubt `too_long`; over MAX_SCRIPT_LENGTH it is not read at all.
 */
export function parseShell(source: string, maxLength: number, firstNest = 0): ShellScript {
  const doubts = new Set<ShellDoubt>();
  if (source.length > maxLength) doubts.add('too_long');
  addCharacterDoubts(source, doubts);
  if (isParsable(source, doubts)) return walkScript(parse(source), source, { doubts, firstNest });
  return {
    commands: [],
    scopes: [-1],
    functions: [],
    shapes: new Set(),
    bindings: new Map(),
    nests: firstNest,
    doubts: [...doubts],
    rows: [],
    wholes: [],
  };
}

/** The shell joins lines before it reads signs: `$\⏎HOME` is a variable, `<\⏎(x)` a process. The parser does not. */
const SPLIT_SIGN = /\$\\\n|[<>&|;(](?:\\\n)+[<>&|;(]/;

function addCharacterDoubts(source: string, doubts: Set<ShellDoubt>): void {
  if (source.includes('\\\n') && SPLIT_SIGN.test(source)) doubts.add('syntax');
  if (isPlain(source)) return;
  if (hasControl(source)) doubts.add('control_character');
  if (hasInvisible(source)) doubts.add('invisible_character');
}

function isParsable(source: string, doubts: Set<ShellDoubt>): boolean {
  if (source.length > MAX_SCRIPT_LENGTH) doubts.add('too_long');
  else if (bracketDepth(source) > MAX_BRACKETS) doubts.add('too_deep');
  else if (!source.includes('\0')) return true;
  return false;
}

/** Deepest nesting of brackets, quotes ignored: an upper bound that costs one pass, so that the parser never meets the worst. */
function bracketDepth(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < source.length; at += 1) {
    const code = source.charCodeAt(at);
    if (code === 40 || code === 123) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if ((code === 41 || code === 125) && depth > 0) {
      depth -= 1;
    }
  }
  return deepest;
}
