/** Makes text that comes from agents safe to read: whatever could hide or reorder it is shown as an escape. */

/** The same sets as the server's `showPlainly`, line breaks and tabs left aside. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** Letters of other scripts that most fonts draw like a Latin letter. */
const TWINS = /[аеорсухіјѕԁԛԝһӏАВЕЗІЈКМНОРСТУХЅԌԚԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧοѵνρ]/u;
const WORD = /[\p{L}\p{N}\p{M}_]+/gu;
const LATIN = /\p{Script=Latin}/u;
const PASSES_FOR_LATIN =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Lisu}\p{Script=Coptic}]/u;
/** Dressed-up forms of ASCII characters, and signs that are drawn like them. */
const DRESSED =
  /[\u02b9-\u02bf\u02c6-\u02cf\u0338\u037e\u2010-\u2015\u2018-\u201f\u2024\u2032-\u2036\u2039-\u203a\u2043\u2044\u204e\u204f\u2052\u2053\u2100-\u214f\u2212\u2215\u2216\u2217\u2223\u2236\u223c\u2460-\u24ff\u2571\u2572\u27cb\u27cd\u29f5-\u29f9\ua789\ufe50-\ufe6f\uff01-\uff5e]|[\u{1d400}-\u{1d7ff}\u{1f100}-\u{1f18f}]/gu;

const HEAD_LINES = 14;
const TAIL_LINES = 6;
const HEAD_CHARACTERS = 1600;
const TAIL_CHARACTERS = 500;

/** A fragment with `text` in it; every hidden or look-alike character stands as a marked `\u{…}`. */
export function visible(text) {
  const fragment = document.createDocumentFragment();
  let from = 0;
  for (const { index, character, title } of deceptions(text)) {
    fragment.append(text.slice(from, index), escapeMark(character, title));
    from = index + character.length;
  }
  fragment.append(text.slice(from));
  return fragment;
}

/** Characters that are not what they seem, in order. */
function deceptions(text) {
  const plain = [...text.matchAll(HIDDEN)].map(as('a character that cannot be seen'));
  const dressed = [...text.matchAll(DRESSED)].map(as('a character that looks like another one'));
  const found = [...plain, ...dressed].sort((a, b) => a.index - b.index);
  const foreign = isForeignText(text);
  let from = 0;
  // They end words, as they do once they are written as escapes.
  const twins = [...found, { index: text.length, character: '' }].flatMap(({ index, character }) => {
    const start = from;
    from = index + character.length;
    return twinsIn(text.slice(start, index), foreign).map((twin) => ({ ...twin, index: start + twin.index }));
  });
  return [...found, ...twins].sort((a, b) => a.index - b.index);
}

const as = (title) => (match) => ({ index: match.index, character: match[0], title });

/** Letters inside a Latin word that are none, and words of an otherwise Latin text that only seem to be Latin. */
function twinsIn(text, foreign) {
  return [...text.matchAll(WORD)].flatMap(({ 0: word, index }) => {
    if (!PASSES_FOR_LATIN.test(word)) return [];
    const mixed = LATIN.test(word);
    if (!mixed && foreign) return [];
    const which = new RegExp(mixed ? PASSES_FOR_LATIN : TWINS, 'gu');
    const twins = [...word.matchAll(which)].map(as('a letter that looks like a Latin one'));
    return twins.map((twin) => ({ ...twin, index: index + twin.index }));
  });
}

/** Does the text have letters that nobody takes for Latin ones? */
function isForeignText(text) {
  for (const character of text) if (PASSES_FOR_LATIN.test(character) && !TWINS.test(character)) return true;
  return false;
}

function escapeMark(character, title) {
  const mark = document.createElement('mark');
  mark.textContent = `\\u{${character.codePointAt(0).toString(16)}}`;
  mark.title = title;
  return mark;
}

/** Where the shown head of a long text ends and where its tail begins; null when the text is short enough to show whole. */
export function cut(text) {
  const lines = text.split('\n');
  let head = text.length;
  let tail = 0;
  if (lines.length > HEAD_LINES + TAIL_LINES) {
    head = lines.slice(0, HEAD_LINES).join('\n').length;
    tail = text.length - lines.slice(-TAIL_LINES).join('\n').length;
  }
  if (text.length > HEAD_CHARACTERS + TAIL_CHARACTERS) {
    head = Math.min(head, HEAD_CHARACTERS);
    tail = Math.max(tail, text.length - TAIL_CHARACTERS);
  }
  return head < tail ? { head, tail } : null;
}

/** A block of agent text: whole when short, otherwise head and tail with a button that shows what is between. */
export function textBlock(text) {
  const block = document.createElement('div');
  block.className = 'text-block';
  const parts = cut(text);
  if (parts === null) {
    block.append(pre(text));
    return block;
  }
  const hidden = text.slice(parts.head, parts.tail);
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'between';
  button.textContent = `… ${hidden.length} characters in ${hidden.split('\n').length} lines are not shown: show all`;
  button.addEventListener('click', () => block.replaceChildren(pre(text)));
  block.append(pre(text.slice(0, parts.head)), button, pre(text.slice(parts.tail)));
  return block;
}

function pre(text) {
  const element = document.createElement('pre');
  element.append(visible(text));
  return element;
}
