/** Reads the text of a rule: `Tool`, `Tool(spec)`, `mcp__server`, with `*` in tool names. */

/** What marks a regular expression inside the brackets of a rule. */
export const REGEX_MARK = 're:';

/** The two halves of a rule. `spec` null: the whole tool. */
export interface RuleText {
  readonly tool: string;
  readonly spec: string | null;
}

/** Splits a rule; null when it is malformed (no tool name, unbalanced brackets). `Bash(*)`, `Bash()` and `Bash` are the same. */
export function parseRuleText(text: string): RuleText | null {
  const trimmed = text.trim();
  const open = trimmed.indexOf('(');
  if (open < 0) return isToolName(trimmed) ? { tool: trimmed, spec: null } : null;
  const tool = trimmed.slice(0, open).trim();
  if (!isToolName(tool) || !trimmed.endsWith(')')) return null;
  const spec = trimmed.slice(open + 1, -1).trim();
  return { tool, spec: spec === '' || spec === '*' ? null : spec };
}

/** True when an expression stands in the rule's brackets. */
export function isRegexRule(text: string): boolean {
  return parseRuleText(text)?.spec?.startsWith(REGEX_MARK) === true;
}

function isToolName(name: string): boolean {
  return name.length > 0 && /^[^\s(),]+$/.test(name);
}
