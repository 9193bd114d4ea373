/** The fields of a call that rules of syntax `content` look at. */
import { isInside } from '../paths/normalise.js';
import type { Judgement } from './judgement.js';

/** Arguments that are looked at, of whatever tool. */
const FIELDS = ['command', 'file_path', 'path', 'pattern', 'url'] as const;

/** The fields as given. */
export function contentFields(judgement: Judgement): string[] {
  const { args } = judgement.analysis;
  if (args === null) return [];
  return FIELDS.flatMap((name) => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    return typeof value === 'string' ? [value] : [];
  });
}

/**
 * What denies and asks look at besides: each program of a command line, and files as they lie below the working folder, so that
 * `cd x; rm y` begins with `rm ` and `./secrets/a` with `secrets/`.
 */
export function tighteningFields(judgement: Judgement): readonly string[] {
  let fields = remembered.get(judgement);
  if (fields === undefined) {
    fields = [...new Set(readTighteningFields(judgement))];
    remembered.set(judgement, fields);
  }
  return fields;
}

const remembered = new WeakMap<Judgement, readonly string[]>();

function readTighteningFields(judgement: Judgement): string[] {
  const { analysis, paths } = judgement;
  const out = contentFields(judgement).flatMap((field) => [field, field.trim()]);
  for (const call of analysis.plan?.calls ?? []) out.push(call.source, ...call.spellings);
  for (const { use, lexical, real } of paths) {
    if (use.origin !== 'argument' || use.workingFolder === true) continue;
    for (const path of [lexical, real]) out.push(...belowFolder(path, judgement.bases.relative));
  }
  return out;
}

function belowFolder(path: string | null, folder: string | null): string[] {
  if (path === null || folder === null || path === folder || !isInside(path, folder)) return [];
  return [path.slice(folder === '/' ? 1 : folder.length + 1)];
}
