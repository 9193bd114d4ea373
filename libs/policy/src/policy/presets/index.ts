/** The presets that the engine has, by name. */
import type { Mode, Preset } from '@countersign/contracts';
import { uniformManifest } from '../../tools/manifest.js';
import type { PresetData } from '../preset.js';
import { ASTRO_RESEARCH } from './astro-research/astro-research.js';
import { CLAUDE_CODE } from './claude-code/claude-code.js';
import { CODING_AGENT } from './coding-agent/coding-agent.js';
import { GOVERNED_RUNNER } from './governed-runner/governed-runner.js';
import { STANDARD } from './standard.js';

const PRESETS: ReadonlyMap<Preset, PresetData> = new Map(
  [STANDARD, ASTRO_RESEARCH, CODING_AGENT, GOVERNED_RUNNER, CLAUDE_CODE].map(
    (preset) => [preset.name, { ...preset, tools: uniformManifest(preset.tools) }] as const,
  ),
);

/** Modes that sessions under the preset may have; none for a preset that the engine has not. */
export function legalModes(name: Preset): readonly Mode[] {
  return presetData(name)?.legalModes ?? [];
}

/** The preset of that name, or undefined when the engine has none. */
export function presetData(name: Preset): PresetData | undefined {
  return PRESETS.get(name);
}
