/** Patterns for presets whose rules hold one text against fields of the call: a beginning, an end, or the whole. */
import type { Analysis } from '../engine/analysis.js';
import { keyArgument } from '../tools/manifest.js';
import { valuesAt } from '../tools/argument-places.js';
import type { Candidate } from './suggestion.js';

/** The field as it stands, then its folder or host. */
export function contentCandidates(tool: string, analysis: Analysis): Candidate[] {
  const { entry, args, host, plan } = analysis;
  const place = keyArgument(entry);
  if (!entry.known) return [];
  if (place === null) {
    return [{ pattern: tool, step: 'tool', explanation: `every call of \`${tool}\`, with any arguments` }];
  }
  const text = valuesAt(args ?? {}, place).values[0];
  if (typeof text !== 'string' || text.startsWith('*') || text.endsWith('*')) return [];
  if (plan !== null) return [{ pattern: `${tool}(${text})`, step: 'exact', explanation: `exactly \`${text}\`` }];
  return entry.url === undefined ? placeCandidates(tool, text) : addressCandidates(tool, text, host);
}

function addressCandidates(tool: string, address: string, host: string | null): Candidate[] {
  const start = /^https?:\/\/[^/?#]+\//i.exec(address)?.[0];
  if (host === null || start === undefined) return [];
  return [{ pattern: `${tool}(${start}*)`, step: 'host', explanation: `every address on \`${host}\`` }];
}

function placeCandidates(tool: string, path: string): Candidate[] {
  const exact: Candidate = { pattern: `${tool}(${path})`, step: 'file', explanation: `\`${path}\` as it stands` };
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  // A beginning that climbs, or that is as short as a top folder, is no folder of anybody's.
  if (path.includes('..') || folder.split('/').length < 3) return [exact];
  return [exact, { pattern: `${tool}(${folder}*)`, step: 'folder', explanation: `all below \`${folder}\`` }];
}
