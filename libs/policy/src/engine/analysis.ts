/** What a call is, before any rule looks at it: its tool, its commands, its files, its address. Done once per call. */
import type { ArgumentProblem, SessionFacts } from '@countersign/contracts';
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import { hostOfUrl, possibleHosts } from '../rules/domain-pattern.js';
import { decompose, type DecomposeOptions } from '../shell/decompose.js';
import type { ShellPlan } from '../shell/plan.js';
import { decomposePowerShell } from '../shell/powershell.js';
import { toolEntry, type ToolEntry } from '../tools/manifest.js';
import { oddProblems, oddUses, hasOddPlaces } from './odd-uses.js';
import { argumentUses, folderUse, guessedUses, patternUses, planUses, type PathUse } from './uses.js';

/** What is judged. `args` is the parsed value; with `problem` set it is undefined and cannot be judged. */
export interface EngineCall {
  readonly tool: string;
  readonly args: unknown;
  readonly problem: ArgumentProblem | null;
  readonly argsHash: string;
  readonly cwd: string | null;
  readonly reportedMode: string | null;
}

export type CallArguments = Readonly<Record<string, unknown>>;

/** A call taken apart. `args` null: not an object. */
export interface Analysis {
  readonly entry: ToolEntry;
  readonly args: CallArguments | null;
  readonly command: string | null;
  readonly plan: ShellPlan | null;
  readonly uses: readonly PathUse[];
  readonly url: string | null;
  /** Host of the address; null when there is none or it is not plain. */
  readonly host: string | null;
  /** Every host that some reader of the address might mean. */
  readonly possibleHosts: readonly string[];
  /** Why the files cannot be read from the arguments; plain sentences. */
  readonly problems: readonly string[];
  /** What `Tool(text)` rules compare with. */
  readonly named: readonly string[];
}

const NO_ADDRESS = { url: null, host: null, possibleHosts: [] } as const;
const NOTHING = { args: null, command: null, plan: null, uses: [], problems: [], named: [], ...NO_ADDRESS } as const;

const analyses = new WeakMap<EngineCall, { policy: CompiledPolicy; session: string; analysis: Analysis }>();

/** The analysis of a call. Remembered per call object, so that planning and judging parse a command once. */
export function analyse(call: EngineCall, policy: CompiledPolicy, session: SessionFacts): Analysis {
  const place = { cwd: call.cwd ?? session.cwd, home: session.home };
  const key = `${place.cwd ?? ''}\0${place.home ?? ''}`;
  const known = analyses.get(call);
  if (known !== undefined && known.policy === policy && known.session === key) return known.analysis;
  const analysis = analyseAfresh(call, policy, place);
  analyses.set(call, { policy, session: key, analysis });
  return analysis;
}

interface Place {
  readonly cwd: string | null;
  readonly home: string | null;
}

function analyseAfresh(call: EngineCall, policy: CompiledPolicy, place: Place): Analysis {
  const entry = toolEntry(policy.preset.tools, call.tool);
  const args = call.problem === null && isRecord(call.args) ? call.args : null;
  if (args === null) return { ...NOTHING, entry };
  const command = textOf(args, entry.command?.name);
  const maxLength = policy.document.maxCommandLength;
  const folder = folderUse(entry, args, place);
  const start = folder === null ? place : { ...place, cwd: folder.key };
  const plan = command === null ? null : planOf(entry, command, { maxLength, ...start });
  const problems = hasOddPlaces(entry) ? oddProblems(entry, args) : [];
  const named = (entry.named ?? []).map((name) => textOf(args, name)).filter((text) => text !== null);
  return {
    entry,
    args,
    command,
    plan,
    uses: usesOf(entry, args, plan, place),
    ...addressOf(entry, args),
    problems,
    named,
  };
}

function usesOf(entry: ToolEntry, args: CallArguments, plan: ShellPlan | null, place: Place): PathUse[] {
  const uses = hasOddPlaces(entry) ? oddUses(entry, args, place) : argumentUses(entry, args, place);
  uses.push(...patternUses(entry, args, place));
  const folder = folderUse(entry, args, place);
  if (folder !== null) uses.push(folder);
  if (plan !== null && entry.command?.shell === 'posix') uses.push(...planUses(plan, place.home));
  if (isGeneric(entry)) uses.push(...guessedUses(args, place));
  return uses;
}

function addressOf(entry: ToolEntry, args: CallArguments): Pick<Analysis, 'url' | 'host' | 'possibleHosts'> {
  const url = textOf(args, entry.url);
  return url === null ? NO_ADDRESS : { url, host: hostOfUrl(url), possibleHosts: possibleHosts(url) };
}

function planOf(entry: ToolEntry, command: string, options: DecomposeOptions): ShellPlan {
  return entry.command?.shell === 'powershell'
    ? decomposePowerShell(command, options.maxLength)
    : decompose(command, options);
}

/** A tool whose arguments no manifest describes. */
function isGeneric(entry: ToolEntry): boolean {
  return entry.paths === undefined && entry.command === undefined && entry.harmless !== true && entry.kind === 'other';
}

function isRecord(value: unknown): value is CallArguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(args: CallArguments, name: string | undefined): string | null {
  const value = name !== undefined && Object.hasOwn(args, name) ? args[name] : undefined;
  return typeof value === 'string' ? value : null;
}
