/** Writes a policy as YAML, JSON or TOML text that `readPolicyText` reads back as the same document. */
import type { PolicyInput } from '@countersign/contracts';
import { stringify as stringifyToml } from 'smol-toml';
import { stringify as stringifyYaml } from 'yaml';
import type { PolicyFormat } from './read-policy-text.js';

/** The text of a policy, ending in a newline. TOML has no null: a null inside `options` is left out there. */
export function writePolicyText(policy: PolicyInput, format: PolicyFormat): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(policy, null, 2)}\n`;
    case 'yaml':
      return stringifyYaml(policy, { version: '1.2', schema: 'core', aliasDuplicateObjects: false, lineWidth: 0 });
    case 'toml':
      return stringifyToml(withoutNull(policy) as Record<string, unknown>);
    default: {
      const never: never = format;
      return never;
    }
  }
}

function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null && item !== undefined).map(withoutNull);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutNull(member)]));
}
