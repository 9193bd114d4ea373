/** How a session is opened: the key's binding, tightened by what the client says. Anything wider is refused. */
import { posix, win32 } from 'node:path';
import type { Mode, PolicyDocument, SessionOpening } from '@countersign/contracts';

/** What a key is bound to. No roots: the key is not bound to folders. */
export interface KeyBinding {
  readonly policy: string | null;
  readonly mode: Mode | null;
  readonly roots: readonly string[];
  readonly home: string | null;
}

/** What the client asks for; everything but the agent may be left out. */
export interface OpeningWish {
  readonly agent: string;
  readonly parentId?: string | null | undefined;
  readonly policy?: string | undefined;
  readonly mode?: Mode | undefined;
  readonly cwd?: string | null | undefined;
  readonly roots?: readonly string[] | undefined;
  readonly silent?: boolean | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly home?: string | null | undefined;
}

/** What the policy says of modes, and of the asks of children. */
export type PolicyModes = Pick<PolicyDocument, 'mode' | 'agentModes'> & Partial<Pick<PolicyDocument, 'childAsks'>>;

export type OpeningResult =
  { readonly ok: true; readonly opening: SessionOpening } | { readonly ok: false; readonly message: string };

/** The policy that the key's sessions are judged by. */
export const DEFAULT_POLICY_NAME = 'default';

/** `modes` are those of the key's policy. `ok: false`: the wish is wider than the key. */
export function openingFor(binding: KeyBinding, wish: OpeningWish, modes: PolicyModes): OpeningResult {
  const message = tooWide(binding, wish, modes);
  if (message !== null) return { ok: false, message };
  const { agent, parentId, cwd, silent, tools, labels, home } = wish;
  return {
    ok: true,
    opening: {
      agent,
      parentId: parentId ?? null,
      policy: policyOf(binding),
      mode: wish.mode ?? ownMode(binding, modes),
      cwd: cwd ?? null,
      roots: rootsOf(binding, wish),
      silent: silent ?? false,
      tools: tools === undefined ? null : [...tools],
      labels: { ...labels },
      home: home ?? binding.home,
    },
  };
}

function policyOf({ policy }: KeyBinding): string {
  return policy ?? DEFAULT_POLICY_NAME;
}

function ownMode(binding: KeyBinding, modes: PolicyModes): Mode {
  return binding.mode ?? modes.mode;
}

/** What the wish asks for beyond the key, in words; null: nothing. */
function tooWide(binding: KeyBinding, { policy, mode, roots = [] }: OpeningWish, modes: PolicyModes): string | null {
  if (policy !== undefined && policy !== policyOf(binding)) {
    return `this key is bound to the policy \`${policyOf(binding)}\``;
  }
  if (mode !== undefined && mode !== ownMode(binding, modes) && !modes.agentModes.includes(mode)) {
    return `an agent may not choose the mode \`${mode}\``;
  }
  const outside = roots.find((root) => !isWithin(root, binding.roots));
  return outside === undefined ? null : `the root \`${outside}\` is outside of the key's roots`;
}

function rootsOf(binding: KeyBinding, { roots, cwd }: OpeningWish): string[] {
  if (roots !== undefined) return [...roots];
  if (typeof cwd === 'string' && isWithin(cwd, binding.roots)) return [cwd];
  return [...binding.roots];
}

/** Lexical: the engine looks at what the paths really are. Without bounds every absolute path is inside. */
function isWithin(candidate: string, bounds: readonly string[]): boolean {
  const paths = /^[A-Za-z]:[\\/]|^\\\\/.test(candidate) ? win32 : posix;
  if (!paths.isAbsolute(candidate) || candidate.split(/[\\/]/).includes('..')) return false;
  return bounds.length === 0 || bounds.some((bound) => !leaves(paths.relative(bound, candidate), paths.isAbsolute));
}

function leaves(relative: string, isAbsolute: (path: string) => boolean): boolean {
  return isAbsolute(relative) || /^\.\.([\\/]|$)/.test(relative);
}
