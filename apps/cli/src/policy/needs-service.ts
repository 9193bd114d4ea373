/** Tells cases that the engine alone cannot run: what they describe happens in a running service. */

type Row = Readonly<Record<string, unknown>>;

/** Members of a case's `context` that set up more than evidence, and when they do. */
const SET_UPS: Readonly<Record<string, (value: unknown) => boolean>> = {
  agent: isSetUp,
  bypassAvailable: isSetUp,
  hook: isSetUp,
  mcp: isSetUp,
  modeHistory: isSetUp,
  route: isSetUp,
  sandbox: isSetUp,
  // The words of a classifier that is asked; the engine is told `safe`, `unsafe` or `unavailable`.
  classifier: (value) => value === 'allow' || value === 'block',
  // A hook's answer as it stands on the wire; the engine is told an `action`.
  hooks: (value) => Array.isArray(value) && value.some((hook) => isRecord(hook) && !('action' in hook)),
};

/** True for what `steps` of a case may be; any other is no case. */
export function areSteps(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}

/** Why the case cannot be run here, as a sentence; null: it can. */
export function serviceNeed(row: Row): string | null {
  if ('steps' in row) return 'several steps need a running service';
  const context = isRecord(row['context']) ? row['context'] : {};
  const needs = Object.keys(context).filter((name) => Object.hasOwn(SET_UPS, name) && SET_UPS[name]?.(context[name]));
  if (needs.length === 0) return null;
  const members = needs.map((name) => `context.${name}`).join(', ');
  return `${members} ${needs.length === 1 ? 'needs' : 'need'} a running service`;
}

/** False for what sets nothing up: null, false, 0, and what is empty. */
function isSetUp(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** An object that is no list. */
export function isRecord(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
