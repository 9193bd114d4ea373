/** Which rules of an index speak about a call, and about which part of it. */
import type { Judgement } from './judgement.js';
import type { RuleIndex } from '../rules/rule-index.js';
import { forCommandRules, forPathRules, forToolRules } from '../rules/rule-index.js';
import type { CompiledRule, ParameterPattern } from '../rules/compiled-rule.js';
import { commandMatches } from '../rules/command-pattern.js';
import { domainMatches, type DomainPattern } from '../rules/domain-pattern.js';
import { pathMatches, pathMayMeet, type PathBases, type PathPattern } from '../rules/path-pattern.js';
import { matchesWildcard } from '../rules/wildcard.js';
import type { ShellCall } from '../shell/plan.js';
import type { JudgedPath } from './evidence.js';
import { canonicalPath } from '../paths/normalise.js';

/** Told of every rule that speaks, with the part of the call it speaks about. `sure` false: it may or may not be meant. */
export type RuleListener = (rule: CompiledRule, subject: string | null, sure: boolean) => void;

/** Deny and ask rules: any part that any spelling, path or argument brings under the rule. */
export function forTighteningRules(judgement: Judgement, index: RuleIndex, listen: RuleListener): void {
  if (index.size === 0) return;
  const { call, analysis } = judgement;
  forToolRules(index, call.tool, analysis.entry, (rule) => matchTool(judgement, rule, listen));
  matchCommands(judgement, index, listen);
  for (const path of judgement.paths) matchPath(judgement, index, path, listen);
}

function matchTool(judgement: Judgement, rule: CompiledRule, listen: RuleListener): void {
  const { spec } = rule;
  switch (spec.kind) {
    case 'whole':
      listen(rule, null, true);
      return;
    case 'domain':
      matchDomain(judgement, rule, spec.domain, listen);
      return;
    case 'text':
      for (const name of judgement.analysis.named) if (matchesWildcard(spec.text, name)) listen(rule, name, true);
      matchParameter(judgement, rule, spec.parameter, listen);
      return;
    case 'command':
      matchParameter(judgement, rule, spec.parameter, listen);
      return;
    case 'path':
      for (const path of judgement.paths) {
        if (path.use.origin === 'argument') matchOnePath(judgement, { rule, pattern: spec.path }, path, listen);
      }
  }
}

/** An address that readers of URLs read differently is held against every host that one of them might mean. */
function matchDomain(judgement: Judgement, rule: CompiledRule, domain: DomainPattern, listen: RuleListener): void {
  const { url, host, possibleHosts } = judgement.analysis;
  if (url === null) return;
  if (possibleHosts.some((possible) => domainMatches(domain, possible))) listen(rule, url, true);
  else if (host === null) listen(rule, url, false);
}

function matchParameter(
  judgement: Judgement,
  rule: CompiledRule,
  parameter: ParameterPattern | null,
  listen: RuleListener,
): void {
  if (parameter !== null && parameterMatches(judgement, parameter)) listen(rule, parameter.name, true);
}

function parameterMatches(judgement: Judgement, parameter: ParameterPattern): boolean {
  const { args } = judgement.analysis;
  if (args === null || !Object.hasOwn(args, parameter.name)) return false;
  const value = args[parameter.name];
  return (
    (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') &&
    matchesWildcard(parameter.value, String(value))
  );
}

function matchCommands(judgement: Judgement, index: RuleIndex, listen: RuleListener): void {
  const { analysis } = judgement;
  if (analysis.command === null || index.commands.size === 0) return;
  const texts = tighteningTexts(judgement);
  for (const tool of [judgement.call.tool, ...(analysis.entry.aliases ?? [])]) {
    for (const [text, sure] of texts) {
      forCommandRules(index, tool, text, (rule) => {
        if (rule.spec.kind === 'command' && commandMatches(rule.spec.command, text)) listen(rule, text, sure);
      });
    }
  }
}

/** Every text that a deny or ask about commands is compared with, and whether it surely runs here. */
function tighteningTexts(judgement: Judgement): ReadonlyMap<string, boolean> {
  if (judgement.tighteningTexts !== null) return judgement.tighteningTexts;
  const texts = new Map<string, boolean>();
  const { command, plan } = judgement.analysis;
  if (command !== null) texts.set(command.trim(), true);
  for (const call of plan?.calls ?? []) addTexts(texts, call, judgement.facts.platform !== 'linux');
  judgement.tighteningTexts = texts;
  return texts;
}

/** `fold`: the file system may find `RM` when `rm` is meant. */
function addTexts(texts: Map<string, boolean>, call: ShellCall, fold: boolean): void {
  for (const spelling of call.spellings) {
    texts.set(spelling, true);
    if (fold) texts.set(lowerProgram(spelling), true);
  }
  for (const text of call.elsewhere) if (!texts.has(text)) texts.set(text, false);
}

function lowerProgram(text: string): string {
  const space = text.indexOf(' ');
  return space < 0 ? text.toLowerCase() : text.slice(0, space).toLowerCase() + text.slice(space);
}

/** `Edit(…)` covers all writers; a `Read(…)` rule covers all readers and, as nobody edits what may not be read, writers too. */
function matchPath(judgement: Judgement, index: RuleIndex, path: JudgedPath, listen: RuleListener): void {
  const { use, lexical, real } = path;
  // Without one known name every rule is tried: a wildcard or a folder may reach any, and `Edit` alone means every file.
  const places = lexical === null || use.glob !== null || use.recursive ? [null] : namesOf(lexical, real);
  for (const family of use.access === 'write' ? WRITER_FAMILIES : READER_FAMILIES) {
    for (const place of places) {
      forPathRules(index.paths[family], place, (rule) => {
        if (rule.spec.kind === 'path') matchOnePath(judgement, { rule, pattern: rule.spec.path }, path, listen);
        else if (family === 'Edit') listen(rule, use.text, true);
      });
    }
  }
}

const WRITER_FAMILIES = ['Edit', 'Read'] as const;
const READER_FAMILIES = ['Read'] as const;

function namesOf(lexical: string, real: string | null): string[] {
  return real === null || real === lexical ? [lexical] : [lexical, real];
}

function matchOnePath(
  judgement: Judgement,
  tested: { rule: CompiledRule; pattern: PathPattern },
  path: JudgedPath,
  listen: RuleListener,
): void {
  const { use, lexical, real } = path;
  const { bases } = judgement;
  if (lexical === null) return;
  const covered =
    use.glob === null && namesOf(lexical, real).some((one) => pathMatches(tested.pattern, one, bases, 'loose'));
  const sure = covered && (use.origin !== 'guess' || use.call < 0);
  if (covered || mayReach(tested.pattern, path, bases)) listen(tested.rule, use.text, sure);
}

/** A wildcard, or a folder taken with all below it, may reach what the pattern covers. */
function mayReach(pattern: PathPattern, path: JudgedPath, bases: PathBases): boolean {
  const { use, lexical, real } = path;
  if (use.glob === null && !use.recursive) return false;
  const reached = use.glob === null ? escapeForGlob(real ?? lexical ?? '/') : (canonicalPath(use.glob) ?? '/');
  return pathMayMeet(pattern, { path: reached, recursive: use.recursive }, bases);
}

function escapeForGlob(path: string): string {
  return path.replace(/[*?[\\]/g, '\\$&');
}
