/**
 * Makes calls that a rule should match, with fresh words in place of every wildcard.
 *
 * INVARIANT: a fresh word stands in no rule, so another rule can match such a call only where it has a wildcard itself; whatever the
 * word is replaced by, that rule matches still. One specimen per form of a pattern thus speaks for all calls that the pattern matches.
 */
import { keyArgument, toolEntry, type ToolEntry, type ToolManifest } from '../tools/manifest.js';
import type { CompiledRule, RegexSubject, ToolPattern } from '../rules/compiled-rule.js';
import type { ContentPattern } from '../rules/content-pattern.js';
import type { DomainPattern } from '../rules/domain-pattern.js';
import { parseRuleText } from '../rules/parse-rule.js';
import { matchesRegex } from '../rules/regex-pattern.js';
import { matchesWildcard, type Wildcard } from '../rules/wildcard.js';
import type { FreshWords } from './fresh-words.js';
import { pathsUnder } from './path-specimens.js';
import { argumentsWith } from './sample-arguments.js';
import type { SampleCall, Scene } from './scene.js';

/** What specimens are made with. */
export interface SpecimenMaker {
  readonly scene: Scene;
  readonly fresh: FreshWords;
  readonly tools: ToolManifest;
}

const MOST_TOOLS = 6;

/** Calls that the rule should match; whether it does is for the engine to say. Empty when none can be made (no home is known). */
export function specimensOf(maker: SpecimenMaker, rule: CompiledRule): SampleCall[] {
  const spec = parseRuleText(rule.rule.pattern)?.spec ?? null;
  return toolsOf(maker, rule.tool).flatMap((tool) => callsOf(maker, rule, tool, spec));
}

function toolsOf(maker: SpecimenMaker, pattern: ToolPattern): string[] {
  switch (pattern.kind) {
    case 'name':
      return pattern.name === 'Edit' ? ['Edit', 'Write'] : [pattern.name];
    case 'server':
      return [`${pattern.name}__${maker.fresh(1)}`];
    case 'wildcard': {
      const known = namedTools(maker.tools).filter((name) => matchesWildcard(pattern.pattern, name));
      return [fill(pattern.pattern, maker.fresh(1)), ...known.slice(0, MOST_TOOLS)];
    }
  }
}

/** The tools that a manifest lists one by one. */
export function namedTools(tools: ToolManifest): string[] {
  return [...tools.keys()].filter((name) => !name.includes('*'));
}

function fill(wildcard: Wildcard, word: string): string {
  return wildcard.pieces.join(word);
}

function callsOf(maker: SpecimenMaker, rule: CompiledRule, tool: string, text: string | null): SampleCall[] {
  const entry = toolEntry(maker.tools, tool);
  const { spec } = rule;
  switch (spec.kind) {
    case 'whole':
      return wholeCalls(maker, tool);
    case 'command': {
      const calls = commandTexts(maker.fresh, text ?? '').map((command) => commandCall(tool, entry, command));
      const { parameter } = spec;
      if (parameter === null) return calls;
      const other = commandCall(tool, entry, maker.fresh(1));
      return [...calls, { tool, args: { ...other.args, [parameter.name]: fill(parameter.value, maker.fresh(2)) } }];
    }
    case 'path':
      return pathsUnder(maker, spec.path).map((path) => pathCall(tool, entry, path));
    case 'domain':
      return hostsOf(maker.fresh, spec.domain).flatMap((host) => [
        addressCall(tool, entry, `https://${host}/`),
        ...fetchesOf(maker, rule, entry, host),
      ]);
    case 'regex':
      return regexTexts(rule).map((one) => callOn(tool, entry, spec.of, one));
    case 'content':
      return [namedCall(tool, entry, contentText(maker.fresh, spec.content))];
    case 'text':
      if (spec.parameter !== null) {
        const value = fill(spec.parameter.value, maker.fresh(1));
        return [{ tool, args: argumentsWith(entry, spec.parameter.name, value) }];
      }
      return [namedCall(tool, entry, fill(spec.text, maker.fresh(1)))];
  }
}

/** Texts that an expression should match: its rule's examples, or the one that it spells out. */
function regexTexts({ rule, spec }: CompiledRule): readonly string[] {
  if (rule.match.length > 0 || spec.kind !== 'regex') return rule.match;
  const { regex } = spec;
  return regex.prefix !== '' && matchesRegex(regex, regex.prefix) ? [regex.prefix] : [];
}

function callOn(tool: string, entry: ToolEntry, of: RegexSubject, text: string): SampleCall {
  switch (of) {
    case 'command':
      return commandCall(tool, entry, text);
    case 'path':
      return pathCall(tool, entry, text);
    case 'address':
      return addressCall(tool, entry, text.includes('://') ? text : `https://${text}/`);
    case 'name':
    case 'field':
      return namedCall(tool, entry, text);
  }
}

/** Calls of a tool with nothing special in them: inside and outside of the roots, with and without arguments. */
export function wholeCalls(maker: SpecimenMaker, tool: string): SampleCall[] {
  const { fresh, scene } = maker;
  const entry = toolEntry(maker.tools, tool);
  if (entry.command !== undefined) {
    return [`${fresh(1)} ${fresh(2)}`, fresh(1)].map((command) => commandCall(tool, entry, command));
  }
  if (entry.paths !== undefined || entry.patch !== undefined) {
    const folders = [scene.roots[0] ?? scene.cwd, `/${fresh(3)}`, ...(scene.home === null ? [] : [scene.home])];
    return folders.map((folder) => pathCall(tool, entry, `${folder}/${fresh(1)}`));
  }
  if (entry.url !== undefined) return [addressCall(tool, entry, `https://${fresh(1)}.example/`)];
  return [namedCall(tool, entry, fresh(1))];
}

/** The forms of a command spec: every `*` a fresh word, a word that only the running shell knows, and nothing for a trailing ` *`. */
export function commandTexts(fresh: FreshWords, spec: string): string[] {
  const text = spec.endsWith(':*') ? `${spec.slice(0, -2)} *` : spec;
  let number = 0;
  const filled = text.replace(/\\[*\\]|\*/g, (found) => (found === '*' ? fresh((number += 1)) : found));
  if (!text.endsWith(' *') || text.endsWith('\\ *')) return [filled];
  const head = filled.slice(0, filled.lastIndexOf(' ')).trimEnd();
  return [filled, head, `${head} "$${fresh(9)}"`];
}

function contentText(fresh: FreshWords, content: ContentPattern): string {
  const before = content.place === 'start' ? '' : fresh(1);
  return `${before}${content.text}${content.place === 'end' ? '' : fresh(2)}`;
}

function hostsOf(fresh: FreshWords, domain: DomainPattern): string[] {
  if (domain.everything) return [`${fresh(1)}.example`];
  const labels = domain.labels.map((label) => label.replaceAll('*', fresh(1)));
  return domain.anyDepth
    ? [[fresh(2), ...labels].join('.'), [fresh(3), fresh(2), ...labels].join('.')]
    : [labels.join('.')];
}

/** A deny or ask about a host also holds for the programs of a shell. */
function fetchesOf(maker: SpecimenMaker, { rule }: CompiledRule, entry: ToolEntry, host: string): SampleCall[] {
  const shell = maker.tools.get('Bash');
  if (rule.effect === 'allow' || entry.url === undefined || shell?.command === undefined) return [];
  return [commandCall('Bash', shell, `curl https://${host}/`)];
}

/** A call of a shell tool; of any other tool, one with nothing said. */
export function commandCall(tool: string, entry: ToolEntry, command: string): SampleCall {
  return { tool, args: argumentsWith(entry, entry.command?.name ?? null, command) };
}

/** A call of a file tool on a path; of any other tool, one with nothing said. */
export function pathCall(tool: string, entry: ToolEntry, path: string): SampleCall {
  const [argument] = entry.paths ?? [];
  if (argument === undefined && entry.patch !== undefined) {
    return { tool, args: argumentsWith(entry, entry.patch.name, patchOf(path)) };
  }
  return { tool, args: argumentsWith(entry, argument?.name ?? null, path) };
}

function patchOf(path: string): string {
  return `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch`;
}

/** A call of a tool that opens an address. */
export function addressCall(tool: string, entry: ToolEntry, url: string): SampleCall {
  return { tool, args: argumentsWith(entry, entry.url ?? keyArgument(entry), url) };
}

/** A call of a tool with the text in the argument that says most of it. */
function namedCall(tool: string, entry: ToolEntry, text: string): SampleCall {
  return { tool, args: argumentsWith(entry, entry.named?.[0] ?? keyArgument(entry), text) };
}
