/** The presets that the engine has, by name. */
import type { Preset } from '@countersign/contracts';
import type { PresetData } from '../preset.js';
import { STANDARD } from './standard.js';

const PRESETS: ReadonlyMap<Preset, PresetData> = new Map([[STANDARD.name, STANDARD]]);

/** The preset of that name, or undefined when the engine has none. */
export function presetData(name: Preset): PresetData | undefined {
  return PRESETS.get(name);
}
