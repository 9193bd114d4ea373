/** Patterns for files, addresses and tools. */
import type { Analysis } from '../engine/analysis.js';
import type { PathUse } from '../engine/uses.js';
import { canonicalPath, isInside } from '../paths/normalise.js';
import { keyArgument } from '../tools/manifest.js';
import type { Candidate } from './suggestion.js';

/** What a folder must not hold if it is to be allowed as a whole. */
export interface Surroundings {
  readonly roots: readonly string[];
  readonly home: string | null;
}

/** The file, then its folder; under the tool's own name and, where its rules are not consulted, under its family's. */
export function pathCandidates(tool: string, use: PathUse, around: Surroundings): Candidate[] {
  const path = use.key === null || use.glob !== null ? null : canonicalPath(use.key);
  if (path === null || path === '/') return [];
  const family = use.access === 'write' ? 'Edit' : 'Read';
  const names = use.origin === 'argument' ? [...new Set([tool, family])] : [family];
  const folder = path.slice(0, path.lastIndexOf('/'));
  const verb = use.access === 'write' ? 'writing' : 'reading';
  return names.flatMap((name) => {
    const file: Candidate = {
      pattern: `${name}(/${escaped(path)})`,
      step: 'file',
      explanation: use.recursive ? `${verb} \`${path}\` and all below it` : `${verb} this file`,
    };
    if (!mayBeAllowed(folder, around)) return [file];
    return [
      file,
      { pattern: `${name}(/${escaped(folder)}/**)`, step: 'folder', explanation: `${verb} all below \`${folder}\`` },
    ];
  });
}

/** INVARIANT: never the file system's top folders, a home, or a folder that holds a root or a home. */
function mayBeAllowed(folder: string, around: Surroundings): boolean {
  if (folder.split('/').length < 3) return false;
  if (around.home !== null && isInside(around.home, folder)) return false;
  return around.roots.every((root) => root === folder || !isInside(root, folder));
}

function escaped(path: string): string {
  return path.replace(/[*?[\]\\]/g, '\\$&');
}

/** The host, the named thing, or the tool itself. */
export function toolCandidates(tool: string, analysis: Analysis): Candidate[] {
  const { entry, host, named } = analysis;
  if (entry.url !== undefined) {
    if (host === null) return [];
    return [{ pattern: `${tool}(domain:${host})`, step: 'host', explanation: `every address on \`${host}\`` }];
  }
  if (entry.named !== undefined) {
    return named.slice(0, 1).map((name) => ({
      pattern: `${tool}(${name.replace(/[*\\]/g, '\\$&')})`,
      step: 'named',
      explanation: `\`${tool}\` with \`${name}\``,
    }));
  }
  // What an unknown tool does with its arguments is not known: it may be a shell.
  if (!entry.known || keyArgument(entry) !== null || tool.includes('*')) return [];
  return [{ pattern: tool, step: 'tool', explanation: `every call of \`${tool}\`, with any arguments` }];
}
