/** Makes text that comes from agents safe to read: whatever could hide or reorder it is shown as an escape. */

/** The same set as the server's `escapeForDisplay`, line breaks and tabs left aside. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

const HEAD_LINES = 14;
const TAIL_LINES = 6;
const HEAD_CHARACTERS = 1600;
const TAIL_CHARACTERS = 500;

/** A fragment with `text` in it; every hidden character stands as a marked `\u{…}`. */
export function visible(text) {
  const fragment = document.createDocumentFragment();
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    fragment.append(text.slice(from, match.index), escapeMark(match[0]));
    from = match.index + match[0].length;
  }
  fragment.append(text.slice(from));
  return fragment;
}

function escapeMark(character) {
  const mark = document.createElement('mark');
  mark.textContent = `\\u{${character.codePointAt(0).toString(16)}}`;
  mark.title = 'a character that cannot be seen';
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
