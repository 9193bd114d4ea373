/** Splits rule texts: a list of rules into its rules, a rule into tool and specifier. */

/** Items of a list, parted by commas and newlines outside parentheses, trimmed, empty ones left out; or what is wrong. */
export function splitRuleList(text: string): { ok: true; items: string[] } | { ok: false; message: string } {
  const items: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: unit, index } of text.matchAll(/[(),\n]/g)) {
    if (unit === '(') depth += 1;
    else if (unit === ')') depth -= 1;
    else if (depth === 0) {
      items.push(text.slice(start, index));
      start = index + 1;
    }
    if (depth < 0) return { ok: false, message: '`)` without `(`' };
  }
  if (depth > 0) return { ok: false, message: '`(` is not closed' };
  items.push(text.slice(start));
  return { ok: true, items: items.map((item) => item.trim()).filter((item) => item !== '') };
}

/** A rule's tool and what stands in its parentheses; `spec` null: the whole tool. */
export interface RuleParts {
  readonly tool: string;
  readonly spec: string | null;
}

/** Parts of `Tool` or `Tool(spec)`; undefined for any other shape. `Tool()` and `Tool(*)` are the whole tool. */
export function ruleParts(rule: string): RuleParts | undefined {
  const found = /^([^\s()]+)(?:\(([\s\S]*)\))?$/.exec(rule.trim());
  if (!found) return undefined;
  const spec = found[2]?.trim();
  return { tool: found[1] ?? '', spec: spec === undefined || spec === '' || spec === '*' ? null : spec };
}
