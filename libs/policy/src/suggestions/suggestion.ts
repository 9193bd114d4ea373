/** What is offered to a person who says "always allow": a pattern, how far it reaches, and calls that show it. */
import type { Effect } from '@countersign/contracts';
import type { SampleCall } from '../analysis/scene.js';

/**
 * How far a pattern reaches, from the least to the most: this very command line; the command with another last argument; the command
 * with any arguments; one file; a folder with all below it; a host; a tool's named thing (an agent type, a skill); a whole tool.
 */
export const SUGGESTION_STEPS = [
  'exact',
  'last-argument',
  'command',
  'file',
  'folder',
  'host',
  'named',
  'tool',
] as const;
export type SuggestionStep = (typeof SUGGESTION_STEPS)[number];

/** A call as the engine judges it when the grant exists. */
export interface PreviewedCall extends SampleCall {
  readonly effect: Effect;
  readonly decidedBy: string;
}

/** `wouldMatch`: allowed by the grant and not without it; the call itself comes first. `wouldNotMatch`: near by, and still not allowed. */
export interface Preview {
  readonly wouldMatch: readonly PreviewedCall[];
  readonly wouldNotMatch: readonly PreviewedCall[];
}

/** One offer. `pattern` is what `scope: always` takes. */
export interface Suggestion {
  readonly pattern: string;
  readonly step: SuggestionStep;
  readonly explanation: string;
  readonly preview: Preview;
}

/** A pattern that might be offered, before the engine has tried it. */
export interface Candidate {
  readonly pattern: string;
  readonly step: SuggestionStep;
  readonly explanation: string;
}
