/** Turns the plain part of regular expressions on commands into command specs: literals, `.*`, alternatives, classes of a few. */
import { choices, closedSpec, literalText } from './command-words.js';

/** Specs that together match what the expression matches; `exact` false: they match more. */
export interface RegexSpecs {
  readonly specs: readonly string[];
  readonly exact: boolean;
  /** The same as patterns of `*` and literal text, for comparing. */
  readonly globs: readonly string[];
}

/** A piece of the expression: alternatives of literal text, or any text. */
type Piece = { readonly kind: 'text'; readonly texts: readonly string[] } | { readonly kind: 'any' };

interface Reading {
  readonly pieces: Piece[];
  exact: boolean;
}

const MAX_CHOICES = 64;
/** One step: group of plain alternatives, class, escape, dot, or literal, each with an optional quantifier. */
const STEP = /\((?:\?:)?([^()[\]{}*+?\\^$.]*)\)|\[([^\]\\^-][^\]\\-]*)\]|\\([\s\S])|(\.)|([^()[\]{}*+?\\^$.|])/y;
const QUANTIFIER = /[*+?]\??|\{\d+(?:,\d*)?\}/y;

/** Specs for an expression that is anchored at the start of the command and open at its end; undefined: not this plain. */
export function regexSpecs(expression: string): RegexSpecs | undefined {
  if (expression.length > 500) return undefined;
  const reading: Reading = { pieces: [], exact: true };
  for (let at = 0; at < expression.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const step = STEP.exec(expression);
    if (!step) return undefined;
    QUANTIFIER.lastIndex = STEP.lastIndex;
    const quantifier = QUANTIFIER.exec(expression)?.[0] ?? '';
    addStep(reading, step, quantifier);
    STEP.lastIndex += quantifier.length;
  }
  return render(reading);
}

function addStep(reading: Reading, step: RegExpExecArray, quantifier: string): void {
  if (isBlank(step) && (quantifier === '' || quantifier === '+')) {
    // INVARIANT: in the JSON that the expression is run on, a blank is a space; runs of spaces compare as one here.
    reading.pieces.push({ kind: 'text', texts: [' '] });
    return;
  }
  const piece = pieceOf(step);
  if (piece.kind === 'text' && quantifier === '') {
    reading.pieces.push(piece);
    return;
  }
  reading.pieces.push({ kind: 'any' });
  // `.*` is exactly any text; every other way to be any text matches less than `*`.
  if (step[4] === undefined || !quantifier.startsWith('*')) reading.exact = false;
}

function isBlank(step: RegExpExecArray): boolean {
  return step[3] === 's' || step[5] === ' ';
}

function pieceOf(step: RegExpExecArray): Piece {
  const [, group, letters, escape, dot, literal] = step;
  if (group !== undefined) return { kind: 'text', texts: group.split('|') };
  if (letters !== undefined) return { kind: 'text', texts: [...letters] };
  if (literal !== undefined) return { kind: 'text', texts: [literal] };
  if (dot === undefined && escape !== undefined && !/[A-Za-z0-9]/.test(escape))
    return { kind: 'text', texts: [escape] };
  return { kind: 'any' };
}

function render(reading: Reading): RegexSpecs | undefined {
  const all = choices(
    reading.pieces.map((piece) => (piece.kind === 'any' ? ['\u0000'] : piece.texts)),
    MAX_CHOICES,
  );
  if (!all) return undefined;
  const specs: string[] = [];
  const globs: string[] = [];
  let { exact } = reading;
  for (const words of all) {
    const texts = words.join('').split(/\u0000+/u);
    const written = texts.map(literalText);
    exact &&= written.every((text) => text.exact) && !/\s{2}|^\s|\s$/u.test(words.join(''));
    const spec = written.map((text) => text.spec.replace(/\s+/gu, ' ')).join('*');
    specs.push(closedSpec(`${spec}*`.trimStart()));
    globs.push(`${texts.map((text) => text.replace(/[*?"']/g, '?')).join('*')}*`);
  }
  return { specs, exact, globs };
}
