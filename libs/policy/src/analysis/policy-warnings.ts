/** What whoever publishes a policy should know of it: ignored rules, forms of old, and what the analysis finds in the time that there is. */
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import type { PolicyProblem } from '../policy/parse-document.js';
import { analyseWithin } from './analyse-policy.js';
import type { Finding, FindingKind } from './finding.js';

/** One warning. `place` is a path in the document; `fix` null: the message says it. */
export interface PolicyWarning {
  readonly kind: FindingKind | 'note' | 'unfinished';
  readonly place: string;
  readonly message: string;
  readonly fix: string | null;
}

const MAX_WARNINGS = 100;
/** Told by the compiler already. */
const TOLD: ReadonlySet<FindingKind> = new Set(['malformed-rule', 'mcp-allow-all', 'allow-spans-tools', 'out-of-use']);

/** At most a hundred warnings, gravest first. `isOver` is asked before each rule; a policy not looked through says so in the last one. */
export function policyWarnings(policy: CompiledPolicy, isOver: () => boolean): PolicyWarning[] {
  const told = [...policy.warnings, ...policy.notes].map(noted);
  const { findings, complete } = analyseWithin(policy, {}, isOver);
  const found = findings.filter(({ kind }) => !TOLD.has(kind)).map(warned);
  const rest: PolicyWarning[] = complete ? [] : [UNFINISHED];
  return [...[...told, ...found].slice(0, MAX_WARNINGS), ...rest];
}

const UNFINISHED: PolicyWarning = {
  kind: 'unfinished',
  place: '',
  message: 'the policy is too large to be looked through at once: some rules were not analysed',
  fix: 'run `countersign analyse` on its file',
};

function noted({ path, message }: PolicyProblem): PolicyWarning {
  return { kind: 'note', place: path, message, fix: null };
}

function warned({ kind, place, pattern, explanation, fix }: Finding): PolicyWarning {
  return { kind, place, message: `\`${pattern}\`: ${explanation}`, fix };
}
