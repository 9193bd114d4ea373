/** One text held against fields of a call: `rm *` begins, `*.env` ends, `sudo` is held anywhere. Nothing else is a wildcard. */

/** A compiled text. */
export interface ContentPattern {
  readonly place: 'start' | 'end' | 'anywhere';
  readonly text: string;
}

/** Compiles the text of a rule. With stars on both ends the text may stand anywhere; stars inside are letters. */
export function compileContent(spec: string): ContentPattern {
  const open = spec.startsWith('*');
  const end = spec.length > 1 && spec.endsWith('*');
  const text = spec.slice(open ? 1 : 0, end ? -1 : undefined);
  if (open === end) return { place: 'anywhere', text };
  return { place: open ? 'end' : 'start', text };
}

/** True when the field is meant. */
export function contentMatches(pattern: ContentPattern, field: string): boolean {
  switch (pattern.place) {
    case 'start':
      return field.startsWith(pattern.text);
    case 'end':
      return field.endsWith(pattern.text);
    case 'anywhere':
      return field.includes(pattern.text);
  }
}

/** True when a permission given for the pattern covers this part of a call. What was allowed is not allowed as a part of more. */
export function contentCovers(pattern: ContentPattern, subject: string): boolean {
  return pattern.place === 'anywhere' ? subject === pattern.text : contentMatches(pattern, subject);
}
