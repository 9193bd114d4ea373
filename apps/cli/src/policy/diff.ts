/** `countersign diff`: which calls a changed policy judges otherwise. */
import { escapeForDisplay } from '@countersign/contracts';
import { REGULAR_EXPRESSIONS, diffPolicies, type ChangedCall, type PolicyDiff } from '@countersign/policy';
import { contextOf, type AnalysisOptions } from './analyse.js';
import { GOOD, OBJECTIONS, UNUSABLE } from './exit-codes.js';
import { loadDocument, originOf, told } from './load-policy.js';
import { complain, print, type Streams } from './streams.js';

export interface DiffOptions extends AnalysisOptions {
  /** Object to every change, not only to one that widens. */
  readonly strict: boolean;
}

/** Prints calls that the two policies judge otherwise; a change that widens is an objection. */
export async function diff(files: readonly [string, string], options: DiffOptions, streams: Streams): Promise<number> {
  const before = await loadDocument(originOf(files[0], options), streams);
  const after = await loadDocument(originOf(files[1], options), streams);
  if (before === null || after === null) return UNUSABLE;
  const result = diffPolicies(before, after, contextOf(options));
  if (!result.ok) {
    const file = result.side === 'before' ? files[0] : files[1];
    for (const problem of result.problems) complain(streams, told(file, problem));
    return UNUSABLE;
  }
  const { ok: _, ...found } = result;
  print(streams, options.json ? JSON.stringify(found) : textOf(found));
  return objects(found, options.strict) ? OBJECTIONS : GOOD;
}

function objects({ verdict, settings }: PolicyDiff, strict: boolean): boolean {
  if (strict) return verdict !== 'same' || settings.length > 0;
  // What an expression matches cannot be shown by calls, so that one that changed is never waved through.
  return verdict === 'widens' || verdict === 'mixed' || settings.includes(REGULAR_EXPRESSIONS);
}

function textOf({ verdict, tightens, widens, changed, unchanged, confidence }: PolicyDiff): string {
  return [
    ...section('widens', widens),
    ...section('tightens', tightens),
    `${verdict}: ${changed} calls judged otherwise, ${unchanged} alike`,
    confidence,
  ]
    .map((line) => escapeForDisplay(line))
    .join('\n');
}

function section(name: string, calls: readonly ChangedCall[]): string[] {
  return calls.map(({ tool, args, reportedMode, before, after }) => {
    const reported = reportedMode === null ? '' : ` when the agent reports mode ${reportedMode}`;
    const mode = before.mode === after.mode ? `mode ${after.mode}` : `mode ${before.mode} before, ${after.mode} after`;
    const change = `${before.effect} by ${before.ruleId} -> ${after.effect} by ${after.ruleId}`;
    return `${name}: ${tool} ${JSON.stringify(args)}: ${change} (${mode}${reported})`;
  });
}
