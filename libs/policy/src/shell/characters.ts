/** Characters that make people see something else than what a tool gets. */

/** Soft hyphen, zero-width, bidirectional, variation and tag characters: people see something else than the shell gets. */
const INVISIBLE =
  /[\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFE00-\uFE0F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}]/u;
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/;

const PLAIN = /^[\t\n -~]*$/;

/** True when the text holds printable ASCII, tabs and newlines alone, and so neither invisible nor control characters. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** True when the text holds characters that people cannot see. */
export function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text);
}

/** True when the text holds control characters other than tab and newline. */
export function hasControl(text: string): boolean {
  return CONTROL.test(text);
}
