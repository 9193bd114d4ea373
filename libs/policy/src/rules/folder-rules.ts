/** Path rules by the folder that they are about, for calls that take folders whole or name files by a wildcard. */
import { foldedHead } from '../paths/folded-segments.js';
import type { CompiledRule } from './compiled-rule.js';
import { fixedFolder } from './path-pattern.js';

/** `place` is that of the rule in its list. */
interface PlacedRule {
  readonly place: number;
  readonly rule: CompiledRule;
}

interface FolderRule extends PlacedRule {
  readonly folder: string;
}

/** Rules with a fixed folder, sorted by it and by name, and those that may be about any. */
export interface FolderRules {
  readonly fixed: FolderRule[];
  readonly roaming: PlacedRule[];
  /** By how many segments the folder has. */
  readonly byDepth: Map<number, Map<string, CompiledRule[]>>;
}

/** No rules yet. */
export function emptyFolders(): FolderRules {
  return { fixed: [], roaming: [], byDepth: new Map() };
}

/** Adds a rule; `sortFolders` must follow the last. True when it has a fixed folder. */
export function addToFolders(rules: FolderRules, rule: CompiledRule, place: number): boolean {
  const folder = rule.spec.kind === 'path' ? fixedFolder(rule.spec.path) : null;
  if (folder === null) {
    rules.roaming.push({ place, rule });
    return false;
  }
  rules.fixed.push({ folder, place, rule });
  const depth = folder.split('/').length - 1;
  const byName = rules.byDepth.get(depth) ?? new Map<string, CompiledRule[]>();
  rules.byDepth.set(depth, byName);
  const known = byName.get(folder);
  if (known === undefined) byName.set(folder, [rule]);
  else known.push(rule);
  return true;
}

/** Calls `each` for every rule with a fixed folder that the canonical path lies in or is. */
export function forFolderRules({ byDepth }: FolderRules, path: string, each: (rule: CompiledRule) => void): void {
  for (const [depth, byName] of byDepth) {
    const head = foldedHead(path, depth);
    if (head !== null) byName.get(head)?.forEach(each);
  }
}

/** Puts the rules into the order in which they are looked up. */
export function sortFolders({ fixed }: FolderRules): void {
  fixed.sort((left, right) => (left.folder < right.folder ? -1 : left.folder > right.folder ? 1 : 0));
}

/**
 * Calls `each`, in the order of the policy, for every rule about something that lies in one of the canonical folders or that one of
 * them lies in.
 */
export function forReachedRules(
  rules: FolderRules,
  folders: readonly string[],
  each: (rule: CompiledRule) => void,
): void {
  const found = new Set<PlacedRule>(rules.roaming);
  if (rules.fixed.length > 0) for (const folder of folders) addReached(found, rules.fixed, folder.toLowerCase());
  const inOrder = [...found].sort((left, right) => left.place - right.place);
  for (const { rule } of inOrder) each(rule);
}

function addReached(found: Set<PlacedRule>, fixed: readonly FolderRule[], folder: string): void {
  const within = folder === '/' ? '/' : `${folder}/`;
  for (let at = firstFrom(fixed, within); fixed[at]?.folder.startsWith(within) === true; at += 1) add(found, fixed[at]);
  for (let cut = folder.length; cut > 0; cut = folder.lastIndexOf('/', cut - 1)) {
    const above = folder.slice(0, cut);
    for (let at = firstFrom(fixed, above); fixed[at]?.folder === above; at += 1) add(found, fixed[at]);
  }
}

function add(found: Set<PlacedRule>, rule: PlacedRule | undefined): void {
  if (rule !== undefined) found.add(rule);
}

/** Where in the sorted list the first folder stands that is not before `folder`. */
function firstFrom(fixed: readonly FolderRule[], folder: string): number {
  let low = 0;
  let high = fixed.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((fixed[middle]?.folder ?? '') < folder) low = middle + 1;
    else high = middle;
  }
  return low;
}
