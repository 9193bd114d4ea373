/** The tools of a policy's own: the preset's manifest with the document's entries in place of or beside it. */
import type { PolicyDocument } from '@countersign/contracts';
import { uniformManifest } from '../tools/manifest.js';
import { validateManifest, type ManifestFinding } from '../tools/validate-manifest.js';
import type { PolicyProblem } from './parse-document.js';
import type { PresetData } from './preset.js';

/** The preset as the document's tools make it. `notes`: what can be used but is odd. Not ok: the entries cannot be read. */
export type OwnTools =
  | { readonly ok: true; readonly preset: PresetData; readonly notes: readonly PolicyProblem[] }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] };

type ToolList = NonNullable<PolicyDocument['tools']>;

const known = new WeakMap<ToolList, WeakMap<PresetData, OwnTools>>();

/** Reads the document's tools. Remembered per list, so that a policy that is compiled in parts keeps one preset. */
export function withOwnTools({ tools }: PolicyDocument, preset: PresetData): OwnTools {
  if (tools === undefined || tools.length === 0) return { ok: true, preset, notes: [] };
  const byPreset = known.get(tools) ?? new WeakMap<PresetData, OwnTools>();
  known.set(tools, byPreset);
  const result = byPreset.get(preset) ?? readTools(tools, preset);
  byPreset.set(preset, result);
  return result;
}

function readTools(tools: ToolList, preset: PresetData): OwnTools {
  const read = validateManifest(tools);
  if (!read.ok) return { ok: false, problems: read.problems.map(problemOf) };
  const names = [...read.manifest.keys()];
  const replaced = names.flatMap((name, place): PolicyProblem[] => {
    const message = `\`${name}\` takes the place of the preset's own tool of that name`;
    return preset.tools.has(name) ? [{ path: `tools.${String(place)}`, message }] : [];
  });
  const manifest = new Map([...preset.tools, ...uniformManifest(read.manifest)]);
  return { ok: true, preset: { ...preset, tools: manifest }, notes: [...replaced, ...read.warnings.map(problemOf)] };
}

function problemOf({ path, ...rest }: ManifestFinding): PolicyProblem {
  return { path: path === '' ? 'tools' : `tools.${path}`, ...rest };
}
