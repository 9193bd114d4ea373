/** Layer 5: questions that hold in every mode: ask rules, sensitive paths, and whatever is not understood. */
import { isHarmlessDevice, meansControl, meansSecret, sensitivityOf, type Sensitivity } from '../../paths/sensitive.js';
import type { CallDoubt } from '../../shell/plan.js';
import { hasControl, hasInvisible, isPlain } from '../../shell/characters.js';
import type { ShellDoubt } from '../../shell/tree.js';
import { addMatch, addRuleMatch, type Judgement } from '../judgement.js';
import { isMetadataHost } from '../../rules/metadata-hosts.js';
import type { CompiledRule } from '../../rules/compiled-rule.js';
import { forTighteningRules } from '../rule-matching.js';
import type { PathUse } from '../uses.js';
import { askUnlisted } from '../shell-lists.js';
import { askByTool } from './tool-checks.js';

export function askLayer(judgement: Judgement): void {
  if (judgement.policy.preset.combining.by === 'effect') askByRules(judgement);
  askByTool(judgement);
  askUnlisted(judgement);
  askSensitive(judgement);
  askMetadata(judgement);
  askDoubts(judgement);
  askInvisible(judgement);
}

function askByRules(judgement: Judgement): void {
  for (const set of judgement.ruleSets) {
    forTighteningRules(judgement, set.ask, (rule, subject) => {
      if (!isSandboxed(judgement, rule)) addRuleMatch(judgement, 'ask', rule, subject);
    });
  }
}

/** A sandbox stands in for the question about all commands, where the preset says so. */
function isSandboxed(judgement: Judgement, rule: CompiledRule): boolean {
  const { facts, policy, analysis } = judgement;
  const lifted = policy.preset.sandboxLiftsToolAsks && facts.sandboxed === true;
  return lifted && rule.spec.kind === 'whole' && analysis.plan !== null;
}

function ask(judgement: Judgement, ruleId: string, reason: string, subject: string | null): void {
  addMatch(judgement, { layer: 'ask', effect: 'ask', ruleId, reason, subject });
}

const SENSITIVE = {
  secret: { ruleId: 'path.secret', reason: 'may hold secrets' },
  control: { ruleId: 'path.control', reason: 'decides what programs run or what agents may do' },
} as const;

function askSensitive(judgement: Judgement): void {
  for (const { use, lexical, real } of judgement.paths) {
    askWild(judgement, use);
    askNamed(judgement, use, lexical);
    if (real !== lexical) askNamed(judgement, use, real);
  }
}

function askWhy(judgement: Judgement, why: Sensitivity, use: PathUse): void {
  if (!judgement.policy.preset.asksSensitive.includes(why)) return;
  ask(judgement, SENSITIVE[why].ruleId, SENSITIVE[why].reason, use.text);
}

function askWild(judgement: Judgement, use: PathUse): void {
  const wildcard = use.tail ?? use.glob;
  if (wildcard === null) return;
  if (meansSecret(wildcard)) askWhy(judgement, 'secret', use);
  if (use.access === 'write' && meansControl(wildcard)) askWhy(judgement, 'control', use);
}

function askNamed(judgement: Judgement, use: PathUse, path: string | null): void {
  if (path === null || isHarmlessDevice(path)) return;
  const why = sensitivityOf(path, use.access, judgement.roots);
  if (why !== null) askWhy(judgement, why, use);
}

/** What a cloud machine hands out there is a secret like any that a file holds. */
function askMetadata(judgement: Judgement): void {
  if (!judgement.policy.preset.asksSensitive.includes('secret')) return;
  const { url, possibleHosts, addresses } = judgement.analysis;
  const reason = 'hands out the credentials of the machine';
  if (url !== null && possibleHosts.some(isMetadataHost)) ask(judgement, 'address.metadata', reason, url);
  for (const { text, hosts } of addresses) {
    if (hosts?.some(isMetadataHost) === true) ask(judgement, 'address.metadata', reason, text);
  }
}

const SCRIPT_DOUBTS: Readonly<Record<ShellDoubt, string>> = {
  too_long: 'the command is too long to be judged',
  too_deep: 'the command is nested too deeply to be judged',
  too_many_parts: 'the command has too many parts to be judged',
  syntax: 'the command is not understood',
  control_character: 'the command holds control characters',
  invisible_character: 'the command holds characters that cannot be seen',
  coproc: 'the command starts a coprocess',
  function: 'the command defines a function',
  other_shell: 'the command means different things in different shells',
  indirect_expansion: 'the command runs text that is known only when it runs',
  loading_variable: 'the command sets a variable that decides which programs run',
};

const CALL_DOUBTS: Readonly<Record<CallDoubt, string>> = {
  dynamic_program: 'which program runs is known only when it runs',
  dynamic_script: 'the script is known only when it runs',
  shell_input: 'a shell runs whatever it is fed',
};

function askDoubts(judgement: Judgement): void {
  const { plan } = judgement.analysis;
  if (plan === null) return;
  for (const doubt of plan.doubts) ask(judgement, `shell.${doubt}`, SCRIPT_DOUBTS[doubt], null);
  for (const call of plan.calls) {
    if (call.doubt !== null) ask(judgement, `shell.${call.doubt}`, CALL_DOUBTS[call.doubt], call.source);
  }
}

/** What people are shown must be what the tool gets. */
function askInvisible(judgement: Judgement): void {
  const { url, named } = judgement.analysis;
  for (const { use } of judgement.paths) if (use.origin === 'argument') askUnseen(judgement, use.text);
  for (const text of named) askUnseen(judgement, text);
  if (url !== null) askUnseen(judgement, url);
}

function askUnseen(judgement: Judgement, text: string): void {
  if (isPlain(text)) return;
  if (hasInvisible(text) || hasControl(text))
    ask(judgement, 'content.invisible', 'holds characters that cannot be seen', text);
}
