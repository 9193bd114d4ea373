/** One call on its way into the ledger: its secrets out, the original into the vault, and both forms judged. */
import type { RecordedCall } from '@countersign/approval';
import type { Basis, CallArguments, RedactionRecord, ToolCall, Verdict } from '@countersign/contracts';
import { canonicalJson } from '@countersign/contracts';
import type { VaultEntry } from '@countersign/ledger';
import { createRedactor, type Redactor } from '@countersign/redaction';
import type { VaultKeys } from '@countersign/server';
import type { EngineCalls } from './engine-call.js';
import type { HookedCall } from './round-item.js';

/** What a call is before it is decided. */
export interface JudgedCall {
  /** With the evidence that it was judged by. */
  readonly call: ToolCall;
  /** Null: the call is recorded without being judged. */
  readonly engine: EngineCalls | null;
  readonly hooked: HookedCall | undefined;
  readonly basis: Basis;
}

/** The same in the form that may be stored. `vault`: the sealed originals; empty when nothing was redacted. */
export interface StorableCall {
  readonly call: RecordedCall;
  readonly hooked: HookedCall | undefined;
  readonly basis: Basis;
  readonly verdict: Verdict;
  readonly vault: readonly VaultEntry[];
}

/** Judges one form of the call; the verdict on the original is the one that counts. */
export type JudgeForm = (engine: EngineCalls | null) => Verdict;

/** INVARIANT: the verdict is made on what the agent sent; what is stored holds no secret that the rules know. */
export function redactCall(judged: JudgedCall, judge: JudgeForm, keys: VaultKeys): StorableCall {
  const redactor = createRedactor(keys.tag);
  const verdict = judge(judged.engine);
  const args = redactArguments(judged.call.args, judged.engine?.original.args, redactor);
  const hooked = redactHooked(judged, redactor);
  const call = redactWords(judged.call, args, redactor);
  const texts = { verdict: redactVerdict(verdict, redactor), basis: redactBasis(judged.basis, redactor) };
  const found = redactor.found();
  if (found.length === 0) return { call: judged.call, hooked: judged.hooked, basis: judged.basis, verdict, vault: [] };
  const redaction: RedactionRecord = { found, ...compare(verdict, judge(redactedForm(judged, { args, hooked }))) };
  return { ...texts, call: { ...call, redaction }, hooked, vault: originals(judged, { args, hooked }, keys) };
}

function redactArguments(args: CallArguments, parsed: unknown, redactor: Redactor): CallArguments {
  if (args.state === 'invalid') return { ...args, head: redactHead(args, redactor) };
  if (parsed === undefined) return { ...args, json: redactor.text(args.json) };
  const clean = redactor.json(parsed);
  return clean === parsed ? args : { ...args, json: canonicalJson(clean) };
}

/** What was cut off in the middle of a word may be a part of a secret that no rule knows any more. */
const LAST_WORD = /[^\s"'=:,;&]{8,}$/;

function redactHead({ head, bytes }: { head: string; bytes: number }, redactor: Redactor): string {
  const clean = redactor.text(head);
  return bytes > head.length ? clean.replace(LAST_WORD, '…') : clean;
}

function redactWords(call: ToolCall, args: CallArguments, redactor: Redactor): ToolCall {
  return {
    ...call,
    args,
    cwd: call.cwd === null ? null : redactor.text(call.cwd),
    description: call.description === null ? null : redactor.text(call.description),
    resolvedPaths: redactor.json(call.resolvedPaths) as ToolCall['resolvedPaths'],
  };
}

function redactHooked({ hooked, engine }: JudgedCall, redactor: Redactor): HookedCall | undefined {
  if (hooked === undefined) return undefined;
  const { finalArgs, additionalContext, endsWhenSent } = hooked;
  return {
    endsWhenSent,
    runs: redactor.json(hooked.runs) as HookedCall['runs'],
    results: redactor.json(hooked.results) as HookedCall['results'],
    finalArgs: finalArgs === null ? null : redactArguments(finalArgs, engine?.final?.args, redactor),
    additionalContext: additionalContext === null ? null : redactor.text(additionalContext),
  };
}

/** Reasons and subjects are made from the call; everything else of a verdict comes from the policy. */
function redactVerdict(verdict: Verdict, redactor: Redactor): Verdict {
  const matches = verdict.matches.map((match) => ({
    ...match,
    reason: redactor.text(match.reason),
    subject: match.subject === null ? null : redactor.text(match.subject),
  }));
  return { ...verdict, reason: redactor.text(verdict.reason), matches };
}

function redactBasis(basis: Basis, redactor: Redactor): Basis {
  const { hooks } = basis.facts;
  if (hooks === undefined) return basis;
  return { ...basis, facts: { ...basis.facts, hooks: redactor.json(hooks) as typeof hooks } };
}

function compare(original: Verdict, redacted: Verdict): Omit<RedactionRecord, 'found'> {
  const { effect, ruleId } = redacted;
  return { sameVerdict: original.effect === effect && original.ruleId === ruleId, redacted: { effect, ruleId } };
}

interface Redacted {
  readonly args: CallArguments;
  readonly hooked: HookedCall | undefined;
}

function redactedForm({ engine }: JudgedCall, { args, hooked }: Redacted): EngineCalls | null {
  if (engine === null) return null;
  const original = { ...engine.original, ...argumentsOf(args) };
  const final = hooked?.finalArgs ?? null;
  return {
    original,
    final: engine.final === null || final === null ? null : { ...engine.final, ...argumentsOf(final) },
  };
}

function argumentsOf(args: CallArguments): { args?: unknown } {
  return args.state === 'ok' ? { args: JSON.parse(args.json) as unknown } : {};
}

function originals(judged: JudgedCall, redacted: Redacted, keys: VaultKeys): VaultEntry[] {
  const { call } = judged;
  const place = { tenantId: call.tenantId, callId: call.id };
  const { args, cwd, description, resolvedPaths } = call;
  const request = JSON.stringify({ args: textOf(args), cwd, description, resolvedPaths });
  const final = judged.hooked?.finalArgs ?? null;
  const changed = final !== null && redacted.hooked?.finalArgs !== final;
  return [
    keys.seal({ ...place, kind: 'arguments' }, request),
    ...(changed ? [keys.seal({ ...place, kind: 'final-arguments' }, textOf(final))] : []),
  ];
}

const textOf = (args: CallArguments): string => (args.state === 'ok' ? args.json : args.head);
