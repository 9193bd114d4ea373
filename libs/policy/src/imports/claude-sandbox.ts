/** Imports what of Claude Code's `sandbox` settings has a counterpart: its denies. */
import { quoted, toValue, type TextEntry, type TextNode } from '../documents/text-node.js';
import { addRule, notMapped, whereOf, type Draft, type ImportFile } from './import-report.js';

/** Denied paths and hosts of the sandbox become denies; all that it opens is left to ask. */
export function importClaudeSandbox(draft: Draft, file: ImportFile, node: TextNode): void {
  const entries = node.kind === 'table' ? node.entries : [];
  for (const entry of entries) {
    const isGroup = (entry.key === 'filesystem' || entry.key === 'network') && entry.node.kind === 'table';
    const inner = isGroup && entry.node.kind === 'table' ? entry.node.entries : [entry];
    for (const member of inner) importSetting(draft, file, member);
  }
}

const SANDBOX_DENIES: Readonly<Record<string, (text: string) => string[]>> = {
  denyRead: (path) => everyAnchor(path).map((pattern) => `Read(${pattern})`),
  denyWrite: (path) => everyAnchor(path).map((pattern) => `Edit(${pattern})`),
  deniedDomains: (host) => [`WebFetch(domain:${host})`],
};

/** `/x` means the file system's root in some versions and the settings' folder in others: a deny covers both. */
function everyAnchor(path: string): string[] {
  return path.startsWith('/') && !path.startsWith('//') ? [path, `/${path}`] : [path];
}

function importSetting(draft: Draft, file: ImportFile, entry: TextEntry): void {
  const where = whereOf(file, entry.at);
  const what = `sandbox ${quoted(entry.key)}: ${quoted(toValue(entry.node))}`;
  const write = Object.hasOwn(SANDBOX_DENIES, entry.key) ? SANDBOX_DENIES[entry.key] : undefined;
  if (!write || entry.node.kind !== 'list') {
    notMapped(draft, {
      where,
      what,
      why: 'the sandbox of Claude Code is not seen here',
      safe: 'commands are judged as if there were none',
    });
    return;
  }
  const texts = entry.node.items.map(toValue).filter((item): item is string => typeof item === 'string' && item !== '');
  const patterns = texts.flatMap(write);
  for (const pattern of patterns) addRule(draft, { effect: 'deny', pattern, source: file.source, where });
  const why = 'the sandbox also holds what a command does unseen';
  notMapped(draft, {
    where,
    what,
    why,
    safe: patterns.map((pattern) => quoted(`deny ${pattern}`)).join(', '),
  });
}
