/** What the engine says of one call, and why. */
import { z } from 'zod';
import { effectSchema, layerSchema, modeSchema, riskSchema, ruleSourceSchema } from './vocabulary.js';

/** One thing that spoke about the call: a rule, a guard, a path check, the mode or the default. */
export const matchSchema = z.object({
  layer: layerSchema,
  effect: effectSchema,
  /** Stable machine name: a rule's id, or a built-in's such as `path.outside_roots`. */
  ruleId: z.string(),
  reason: z.string(),
  source: ruleSourceSchema.nullable(),
  /** The pattern as written, for rules. */
  pattern: z.string().nullable(),
  /** The part of the call that it matched: a simple command, a path, a host; null for the whole call. */
  subject: z.string().nullable(),
  /** Level in the preset's own table (P0..P8, 1a..3), where it has one. */
  level: z.string().nullable(),
});
export type Match = z.infer<typeof matchSchema>;

/**
 * The verdict of one call. `winner` is the match that settled it and stands also in `matches`; all other matches were
 * overridden. `mode` is the mode that was judged by. Explanations are rendered from this, never computed twice.
 */
export const verdictSchema = z.object({
  effect: effectSchema,
  ruleId: z.string(),
  reason: z.string(),
  layer: layerSchema,
  risk: riskSchema,
  mode: modeSchema,
  matches: z.array(matchSchema),
});
export type Verdict = z.infer<typeof verdictSchema>;
