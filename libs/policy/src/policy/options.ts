/** The options of a policy: which there are, what each may hold, and what they make of a preset's data. */
import type { PolicyDocument } from '@countersign/contracts';
import { z } from 'zod';
import { nearest } from '../documents/suggest.js';
import type { PolicyProblem } from './parse-document.js';
import type { PresetData, RunLimits, ShellLists } from './preset.js';

const words = z.array(z.string().min(1).max(2_000)).max(1_000);
const count = z.number().int().positive();

/** Every option of every preset. Counts are whole numbers above zero; sizes in bytes or characters, times in seconds. */
const OPTION_SCHEMAS = {
  unlistedShell: z.enum(['ask', 'allow']),
  blockNetwork: z.boolean(),
  dangerousCommands: words,
  dangerousArgPatterns: words,
  maxFileSize: count,
  maxSteps: count,
  maxRepeats: count,
  tokenSoftLimit: count,
  tokenHardLimit: count,
  denialMaxConsecutive: count,
  denialMaxTotal: count,
  maxToolOutputChars: count,
  toolTimeoutSecs: count,
  askTimeoutSec: count,
  diminishingSteps: count,
  compactionMaxFailures: count,
  safeCommands: words,
  safeTools: words,
  planTools: words,
  planFile: z.string().min(1).max(4_096),
} as const satisfies Readonly<Record<string, z.ZodType>>;

/** The name of an option that some preset has. */
export type OptionName = keyof typeof OPTION_SCHEMAS;
type OptionValues = { readonly [Name in OptionName]?: z.infer<(typeof OPTION_SCHEMAS)[Name]> };

/** Options about the course of a run, which every preset has. */
export const RUN_OPTIONS = [
  'maxFileSize',
  'maxSteps',
  'maxRepeats',
  'tokenSoftLimit',
  'tokenHardLimit',
  'denialMaxConsecutive',
  'denialMaxTotal',
  'maxToolOutputChars',
  'toolTimeoutSecs',
  'askTimeoutSec',
  'diminishingSteps',
  'compactionMaxFailures',
] as const satisfies readonly OptionName[];

/** What is wrong with the options of a document; empty when all can be read. An option that the preset has not is refused: it may have been meant to tighten. */
export function optionProblems(document: PolicyDocument, preset: PresetData): PolicyProblem[] {
  return Object.entries(document.options).flatMap(([name, value]): PolicyProblem[] => {
    const path = `options.${name}`;
    const known = preset.options.find((option) => option === name);
    if (known === undefined) {
      const suggestion = nearest(name, preset.options);
      const message = `preset \`${preset.name}\` has no option \`${name}\``;
      return [suggestion === undefined ? { path, message } : { path, message, suggestion }];
    }
    const parsed = OPTION_SCHEMAS[known].safeParse(value);
    return parsed.success ? [] : parsed.error.issues.map((issue) => ({ path, message: issue.message }));
  });
}

/** The preset's data as the options of one policy make it. */
export interface Settings {
  readonly limits: RunLimits;
  readonly shellLists: ShellLists | null;
  readonly unlistedShell: 'ask' | 'allow';
  readonly blockNetwork: boolean;
  /** Command lines that run unasked, alone or with arguments. */
  readonly safeCommands: readonly string[];
  /** Tools that mode `auto` needs no classifier for, besides the preset's. */
  readonly safeTools: readonly string[];
  /** What mode `plan` lets through before all else: tools, and writing one file (absolute). */
  readonly planTools: readonly string[];
  readonly planFile: string | null;
}

/** The settings of a document whose options have no problem; an option that cannot be read counts as not set. */
export function settingsOf(document: PolicyDocument, preset: PresetData): Settings {
  const options = readOptions(document);
  return {
    limits: limitsWith(preset.limits, options),
    shellLists: listsWith(preset.shellLists, options),
    unlistedShell: options.unlistedShell ?? 'ask',
    blockNetwork: options.blockNetwork ?? true,
    safeCommands: options.safeCommands ?? preset.safeCommands,
    safeTools: options.safeTools ?? [],
    planTools: options.planTools ?? [],
    planFile: options.planFile ?? null,
  };
}

function limitsWith(limits: RunLimits, options: OptionValues): RunLimits {
  return {
    ...limits,
    ...loopLimitsWith(limits, options),
    maxSteps: options.maxSteps ?? limits.maxSteps,
    maxRepeats: options.maxRepeats ?? limits.maxRepeats,
    maxTokens: options.tokenHardLimit ?? limits.maxTokens,
    toolTimeoutSeconds: options.toolTimeoutSecs ?? limits.toolTimeoutSeconds,
    outputCharacters: options.maxToolOutputChars ?? limits.outputCharacters,
    maxFileSize: options.maxFileSize ?? limits.maxFileSize,
  };
}

/** What the agent's loop is told about. */
function loopLimitsWith(limits: RunLimits, options: OptionValues): Partial<RunLimits> {
  return {
    softTokens: options.tokenSoftLimit ?? limits.softTokens,
    stepsWithoutNews: options.diminishingSteps ?? limits.stepsWithoutNews,
    stopsWithoutNews: limits.stopsWithoutNews || options.diminishingSteps !== undefined,
    compactionFailures: options.compactionMaxFailures ?? limits.compactionFailures,
  };
}

/** Options only add to the lists of dangers: nothing that a preset refuses can be taken off. */
function listsWith(lists: ShellLists | null, options: OptionValues): ShellLists | null {
  if (lists === null) return null;
  return {
    ...lists,
    dangerous: new Set([...lists.dangerous, ...(options.dangerousCommands ?? [])]),
    dangerousTexts: [...lists.dangerousTexts, ...(options.dangerousArgPatterns ?? [])],
  };
}

function readOptions(document: PolicyDocument): OptionValues {
  const known = Object.entries(OPTION_SCHEMAS).flatMap(([name, schema]) => {
    const parsed = Object.hasOwn(document.options, name) ? schema.safeParse(document.options[name]) : null;
    return parsed?.success === true ? [[name, parsed.data] as const] : [];
  });
  return Object.fromEntries(known);
}

/** The document with what its options say of its own fields: the breaker and how long questions stay open. */
export function withOptions(document: PolicyDocument): PolicyDocument {
  const { denialMaxConsecutive, denialMaxTotal, askTimeoutSec } = readOptions(document);
  const { breaker, askTimeout } = document;
  return {
    ...document,
    breaker: {
      ...breaker,
      inARow: denialMaxConsecutive ?? breaker.inARow,
      total: denialMaxTotal ?? breaker.total,
    },
    askTimeout: { ...askTimeout, after: askTimeoutSec ?? askTimeout.after },
  };
}
