/** How the offline policy commands end, so that scripts can tell answers from mistakes. */
import type { Effect } from '@countersign/contracts';

/** `check`: the effect of the call. */
export const EXIT_OF_EFFECT: Readonly<Record<Effect, number>> = { allow: 0, deny: 1, ask: 2 };
/** Nothing to object to. */
export const GOOD = 0;
/** Cases that failed, findings, or a policy that widens. */
export const OBJECTIONS = 1;
/** Wrong usage, or a policy, file or argument that cannot be read. */
export const UNUSABLE = 3;

/** The commands whose wrong usage ends with UNUSABLE, since 2 is an answer of `check`. */
export const POLICY_COMMANDS: ReadonlySet<string> = new Set(['check', 'explain', 'cases', 'analyse', 'diff']);
