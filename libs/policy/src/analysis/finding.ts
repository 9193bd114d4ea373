/** What the analysis of a policy reports: one finding about one rule, with a call that shows it. */
import type { Effect, Mode, RuleSource } from '@countersign/contracts';
import type { SampleCall } from './scene.js';

/**
 * - `shadowed`: other rules or built-in checks always settle what it matches, with another effect
 * - `redundant`: taking it away changes no verdict, since something else has the same effect
 * - `dead`: it matches, but decides nothing: partly shadowed, partly redundant
 * - `never-matches`: no call is ever matched
 * - `over-broad`: an allow that frees far more than it names, or a deny of everything
 * - `unanchored-allow`: a `*` at the start or inside of a program's name lets other programs through
 * - `unknown-tool`: no manifest knows the tool it names
 * - `wrong-syntax`: written in a notation that the tool's rules do not have
 * - `mid-colon-star`: `:*` is a wildcard at the end only
 * - `single-slash-absolute`: `/x` starts at the first root, `//x` at the file system's root
 * - `bare-command-deny`, `end-anchored-deny`: one more argument evades it
 * - `narrow-path-tool`: the same file can be had through another tool
 * - `out-of-use`: works, but is written in a form that later versions may not read
 * - `malformed-rule`, `mcp-allow-all`, `allow-spans-tools`: refused or ignored when the policy is compiled
 * - `wrong-example`: an example of the rule comes out otherwise than it says, so that the policy is refused
 * - `malformed-policy`: the document itself cannot be compiled
 */
export const FINDING_KINDS = [
  'malformed-policy',
  'malformed-rule',
  'wrong-example',
  'mcp-allow-all',
  'allow-spans-tools',
  'unknown-tool',
  'wrong-syntax',
  'mid-colon-star',
  'never-matches',
  'over-broad',
  'unanchored-allow',
  'bare-command-deny',
  'end-anchored-deny',
  'narrow-path-tool',
  'single-slash-absolute',
  'out-of-use',
  'shadowed',
  'dead',
  'redundant',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** A call that shows the finding, and what the whole policy says of it. `decidedBy` is a rule's id or a built-in's. */
export interface Witness extends SampleCall {
  readonly mode: Mode;
  readonly effect: Effect;
  readonly decidedBy: string;
}

/**
 * A finding. `confirmed`: the engine judged the witness and it shows the claim. `unproven`: the engine confirmed every call that
 * was tried, but calls that were not tried may differ. `place` is the rule's path in the document, as in `allow.3`.
 */
export interface Finding {
  readonly kind: FindingKind;
  readonly grade: 'confirmed' | 'unproven';
  readonly place: string;
  readonly ruleId: string;
  readonly effect: Effect | null;
  readonly pattern: string;
  readonly source: RuleSource | null;
  /** The rule or built-in that the finding is about besides this one. */
  readonly otherRuleId: string | null;
  readonly otherPattern: string | null;
  readonly witness: Witness | null;
  readonly explanation: string;
  readonly fix: string;
}
