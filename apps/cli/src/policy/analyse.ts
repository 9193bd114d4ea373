/** `countersign analyse`: rules of a policy that do not do what they seem to. */
import { resolve } from 'node:path';
import { escapeForDisplay, type Preset } from '@countersign/contracts';
import { analysePolicy, type Finding, type PolicyContext } from '@countersign/policy';
import { GOOD, OBJECTIONS, UNUSABLE } from './exit-codes.js';
import { loadDocument, originOf, type Variables } from './load-policy.js';
import { print, type Streams } from './streams.js';

/** Where the agent is taken to work, and how to answer. */
export interface AnalysisOptions {
  readonly preset?: Preset;
  readonly cwd?: string;
  readonly root?: readonly string[];
  readonly home?: string;
  readonly json: boolean;
  /** The environment, which may set policy; absent: it does not count. */
  readonly variables?: Variables;
}

/** Prints every finding with its witness; any finding is an objection. */
export async function analyse(file: string, options: AnalysisOptions, streams: Streams): Promise<number> {
  const document = await loadDocument(originOf(file, options), streams);
  if (document === null) return UNUSABLE;
  const findings = analysePolicy(document, contextOf(options));
  if (options.json) print(streams, JSON.stringify({ findings }));
  else {
    for (const finding of findings) print(streams, textOf(finding));
    print(streams, findings.length === 1 ? '1 finding' : `${findings.length} findings`);
  }
  return findings.length === 0 ? GOOD : OBJECTIONS;
}

/** The analysis's own defaults stand for what is not given. */
export function contextOf({ cwd, root, home }: AnalysisOptions): PolicyContext {
  return {
    ...(cwd === undefined ? {} : { cwd: resolve(cwd) }),
    ...(root === undefined ? {} : { roots: root.map((one) => resolve(cwd ?? '.', one)) }),
    ...(home === undefined ? {} : { home }),
  };
}

function textOf({ kind, grade, place, pattern, witness, explanation, fix }: Finding): string {
  const unproven = grade === 'unproven' ? ' (unproven)' : '';
  const call = witness === null ? null : `${witness.tool} ${JSON.stringify(witness.args)}`;
  const shown =
    witness === null ? [] : [`  call: ${call} -> ${witness.effect} by ${witness.decidedBy} (mode ${witness.mode})`];
  return [`${kind}${unproven}: ${place} \`${pattern}\``, `  ${explanation}`, ...shown, `  fix: ${fix}`]
    .map((line) => escapeForDisplay(line))
    .join('\n');
}
