/** What whoever runs an allowed call must keep to, from the tool's manifest and the policy's options. */
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import { traitsOf } from './traits.js';

/** Milliseconds, and characters (code points) of output; null: no limit of ours. */
export interface CallObligations {
  readonly timeoutMs: number | null;
  readonly maxOutputChars: number | null;
  /** What happens to the running tool when its session is cancelled: it is stopped, or it may finish. */
  readonly interrupt: 'cancel' | 'block';
  /** Whether the tool must run inside a sandbox. */
  readonly sandbox: 'none' | 'required';
}

/** The obligations of one call. The tool's own most is never exceeded, whatever the policy's options say. */
export function obligationsOf(policy: CompiledPolicy, tool: string, args: unknown): CallObligations {
  const { kind, interrupt, obligations } = traitsOf(tool, args, policy.preset.tools);
  const { toolTimeoutSeconds, toolTimeoutDefault, outputCharacters } = policy.settings.limits;
  const wished = toolTimeoutSeconds ?? obligations.timeoutSeconds ?? toolTimeoutDefault;
  const most = obligations.maxTimeoutSeconds ?? Infinity;
  return {
    timeoutMs: wished === null ? null : Math.min(wished, most) * 1_000,
    maxOutputChars: outputCharacters ?? obligations.maxOutputCharacters ?? null,
    interrupt,
    sandbox: kind === 'command' && policy.document.sandbox === 'commands' ? 'required' : 'none',
  };
}
