/** What is told of the rules that speak about a call. */
import type { CompiledRule } from '../rules/compiled-rule.js';

/** Told of every rule that speaks, with the part of the call it speaks about. `sure` false: it may or may not be meant. */
export type RuleListener = (rule: CompiledRule, subject: string | null, sure: boolean) => void;
