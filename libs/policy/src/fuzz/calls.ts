/** Makes tool calls and policies. */
import type { PolicyInput, Preset } from '@countersign/contracts';
import type { Chance } from './chance.js';
import { makeScript, mutate } from './scripts.js';
import { ADDRESSES, PATHS, RULES, TOOLS } from './vocabulary.js';
import type { SampleCall } from '../analysis/scene.js';

const LISTS = ['deny', 'ask', 'allow'] as const;

/** A policy of a few rules over a preset; presets without allow rules get none. */
export function makePolicy(chance: Chance, preset: Preset): PolicyInput & { deny: string[] } {
  const [deny = [], ask = [], allow = []] = LISTS.map(() => chance.many(4, () => chance.pick(RULES)));
  return { preset, deny, ask, allow };
}

/** A call of a shell. */
export function shellCall(command: string): SampleCall {
  return { tool: 'Bash', args: { command } };
}

/** Any call at all: half of them of a shell. */
export function makeCall(chance: Chance): SampleCall {
  if (chance.often(0.5)) {
    const script = makeScript(chance);
    return shellCall(chance.often(0.5) ? mutate(chance, script) : script);
  }
  return { tool: makeTool(chance), args: makeArguments(chance) };
}

function makeTool(chance: Chance): string {
  const tool = chance.pick(TOOLS);
  return chance.often(0.05) ? mutate(chance, tool) : tool;
}

const NAMES = ['command', 'file_path', 'path', 'pattern', 'url', 'content', 'cwd', 'patch', 'edits', 'notebook_path', 'subagent_type', 'input', 'glob', 'query', 'skill', '__proto__', 'x'] as const; // prettier-ignore

function makeArguments(chance: Chance): Readonly<Record<string, unknown>> {
  const entries = chance.many(5, () => [chance.pick(NAMES), makeValue(chance, 0)] as const);
  return Object.fromEntries(entries);
}

function makeValue(chance: Chance, depth: number): unknown {
  const text = (): string => {
    const made = chance.pick<() => string>([
      () => chance.pick(PATHS),
      () => chance.pick(ADDRESSES),
      () => makeScript(chance),
      () => `*** Begin Patch\n*** Update File: ${chance.pick(PATHS)}\n@@\n-a\n+b\n*** End Patch`,
    ])();
    return chance.often(0.2) ? mutate(chance, made) : made;
  };
  if (chance.often(0.8) || depth > 3) return text();
  return chance.pick<() => unknown>([
    () => chance.below(10),
    () => null,
    () => chance.often(0.5),
    () => chance.many(4, () => makeValue(chance, depth + 1)),
    () => Object.fromEntries(chance.many(3, () => [chance.pick(NAMES), makeValue(chance, depth + 1)])),
    () => -0.5,
    () => 'x'.repeat(chance.below(20_000)),
  ])();
}
