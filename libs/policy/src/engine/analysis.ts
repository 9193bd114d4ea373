/** What a call is, before any rule looks at it: its tool, its commands, its files, its address. Done once per call. */
import type { ArgumentProblem, SessionFacts } from '@countersign/contracts';
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import { addressesOf, type ShellAddress } from '../commands/addresses.js';
import { hostOfUrl, possibleHosts } from '../rules/domain-pattern.js';
import { isOrdinaryHost } from '../rules/host-forms.js';
import { decompose, type DecomposeOptions } from '../shell/decompose.js';
import type { ShellPlan } from '../shell/plan.js';
import { decomposePowerShell } from '../shell/powershell.js';
import { toolEntry, type ToolEntry } from '../tools/manifest.js';
import { oddProblems, oddUses, hasOddPlaces } from './odd-uses.js';
import {
  argumentUses,
  fileOfUrl,
  folderUse,
  guessedUses,
  patternUses,
  planUses,
  urlUse,
  type PathUse,
} from './uses.js';

/** What is judged. `args` is the parsed value; with `problem` set it is undefined and cannot be judged. */
export interface EngineCall {
  readonly tool: string;
  readonly args: unknown;
  readonly problem: ArgumentProblem | null;
  readonly argsHash: string;
  /** Of the place that the call came with; absent: none. */
  readonly placeHash?: string | undefined;
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
  /** Addresses among the words of a command line. */
  readonly addresses: readonly ShellAddress[];
  /** The files stand in places that only the manifest's whole language describes. */
  readonly oddPlaces: boolean;
  /** Why the files cannot be read from the arguments; plain sentences. */
  readonly problems: readonly string[];
  /** What `Tool(text)` rules compare with. */
  readonly named: readonly string[];
}

const NO_ADDRESS = { url: null, host: null, possibleHosts: [] } as const;
const NO_ADDRESSES: readonly ShellAddress[] = [];
const NOTHING = {
  ...{ args: null, command: null, plan: null, uses: [] },
  ...NO_ADDRESS,
  ...{ addresses: [], oddPlaces: false, problems: [], named: [] },
} as const;

interface Known {
  readonly policy: CompiledPolicy;
  readonly cwd: string | null;
  readonly home: string | null;
  readonly analysis: Analysis;
}

const analyses = new WeakMap<EngineCall, Known>();

/** The analysis of a call. */
export function analyse(call: EngineCall, policy: CompiledPolicy, session: SessionFacts): Analysis {
  const { home } = session;
  const cwd = call.cwd ?? session.cwd;
  const entry = toolEntry(policy.preset.tools, call.tool);
  const known = entry.command === undefined ? undefined : analyses.get(call);
  if (known !== undefined && known.policy === policy && known.cwd === cwd && known.home === home) return known.analysis;
  return analyseAfresh(call, policy, { entry, cwd, home });
}

/**
 * The same, remembered for when the call is judged, so that a command is parsed once for both. Only for calls that will be: what a
 * weak map holds costs the garbage collector more than a short command costs the parser. A call without a command is read faster
 * than it is remembered.
 */
export function analyseAhead(call: EngineCall, policy: CompiledPolicy, session: SessionFacts): Analysis {
  const analysis = analyse(call, policy, session);
  if (analysis.entry.command === undefined) return analysis;
  analyses.set(call, { policy, cwd: call.cwd ?? session.cwd, home: session.home, analysis });
  return analysis;
}

interface Place {
  readonly entry: ToolEntry;
  readonly cwd: string | null;
  readonly home: string | null;
}

function analyseAfresh(call: EngineCall, policy: CompiledPolicy, place: Place): Analysis {
  const { entry } = place;
  const args = call.problem === null && isRecord(call.args) ? call.args : null;
  if (args === null) return { entry, ...NOTHING };
  const command = textOf(args, entry.command?.name);
  const maxLength = policy.document.maxCommandLength;
  const folder = folderUse(entry, args, place);
  const cwd = folder === null ? place.cwd : folder.key;
  const plan = command === null ? null : planOf(entry, command, { maxLength, cwd, home: place.home });
  const odd = hasOddPlaces(entry);
  const uses = odd ? oddUses(entry, args, place) : argumentUses(entry, args, place);
  addUses(uses, args, { plan, folder, place });
  const { url, host, possibleHosts } = addressOf(entry, args);
  const problems = odd ? oddProblems(entry, args) : NONE;
  const named = entry.named === undefined ? NONE : namedOf(entry.named, args);
  return {
    entry,
    args,
    command,
    plan,
    uses,
    url,
    host,
    possibleHosts,
    addresses: shellAddresses(plan),
    oddPlaces: odd,
    problems,
    named,
  };
}

function shellAddresses(plan: ShellPlan | null): readonly ShellAddress[] {
  return plan === null ? NO_ADDRESSES : addressesOf(plan);
}

const NONE: readonly string[] = [];

function namedOf(names: readonly string[], args: CallArguments): string[] {
  return names.map((name) => textOf(args, name)).filter((text) => text !== null);
}

interface Found {
  readonly plan: ShellPlan | null;
  readonly folder: PathUse | null;
  readonly place: Place;
}

/** Files that are named by something else than path arguments. */
function addUses(uses: PathUse[], args: CallArguments, { plan, folder, place }: Found): void {
  const { entry } = place;
  if (entry.patterns !== undefined) uses.push(...patternUses(entry, args, place));
  if (folder !== null) uses.push(folder);
  if (plan !== null && entry.command?.shell === 'posix') uses.push(...planUses(plan, place.home));
  if (isGeneric(entry)) uses.push(...guessedUses(args, place));
  const file = fileOfUrl(textOf(args, entry.url));
  if (file !== null) uses.push(urlUse(file));
}

function addressOf(entry: ToolEntry, args: CallArguments): Pick<Analysis, 'url' | 'host' | 'possibleHosts'> {
  const url = textOf(args, entry.url);
  if (url === null) return NO_ADDRESS;
  const host = hostOfUrl(url);
  const ordinary = host !== null && isOrdinaryHost(host);
  return { url, host, possibleHosts: ordinary ? [host] : possibleHosts(url) };
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
