/** Checks of how rules name files and addresses. */
import { parseRuleText } from '../rules/parse-rule.js';
import { hostOfUrl } from '../rules/domain-pattern.js';
import type { PathPattern } from '../rules/path-pattern.js';
import { toolEntry } from '../tools/manifest.js';
import { matchesAlone, type Bench, type ListedRule } from './bench.js';
import { pathsUnder } from './path-specimens.js';
import type { Claim } from './report.js';
import { addressCall, pathCall } from './specimens.js';

/** Top folders of usual machines: a pattern that begins with one was meant from the file system's root. */
// prettier-ignore
const TOP_FOLDERS = new Set([
  'bin', 'boot', 'dev', 'etc', 'home', 'lib', 'lib64', 'media', 'mnt', 'opt', 'proc', 'root', 'run', 'sbin', 'srv', 'sys', 'tmp', 'usr',
  'var', 'private', 'Users', 'Volumes', 'Library', 'Applications', 'System',
]);

/** `Edit(/tmp/x)` is `tmp/x` below the first root. */
export function singleSlashAbsolute(bench: Bench, rule: ListedRule): Claim | null {
  const { spec, tool } = rule.compiled;
  if (spec.kind !== 'path' || tool.kind !== 'name') return null;
  const folder = rootedTopFolder(bench, spec.path);
  const [path] = pathsUnder(bench.maker, { ...spec.path, anchor: 'absolute' });
  if (folder === null || path === undefined) return null;
  const witness = pathCall(tool.name, toolEntry(bench.maker.tools, tool.name), path);
  if (matchesAlone(bench, rule, witness)) return null;
  const { pattern } = rule.rule;
  return {
    kind: 'single-slash-absolute',
    witness,
    explanation: `one slash starts at the first root, so \`/${folder}\` of the machine is not meant by it`,
    fix: `write \`${pattern.replace('(/', '(//')}\` with two slashes`,
  };
}

/** The top folder that a pattern with a single slash begins with; null for any other pattern. */
function rootedTopFolder(bench: Bench, pattern: PathPattern): string | null {
  const first = pattern.anchor === 'root' ? (pattern.segments[0]?.literal ?? null) : null;
  return first !== null && isTopFolder(bench, first) ? first : null;
}

function isTopFolder(bench: Bench, name: string): boolean {
  const known = [...bench.scene.roots, bench.scene.home ?? ''];
  return TOP_FOLDERS.has(name) || known.some((path) => path.split('/')[1] === name);
}

/** `WebFetch(https://x/*)`: addresses are compared by their host. */
export function addressAsText(bench: Bench, rule: ListedRule): Claim | null {
  const { spec, tool } = rule.compiled;
  if (spec.kind !== 'text' || tool.kind !== 'name') return null;
  const entry = toolEntry(bench.maker.tools, tool.name);
  const text = parseRuleText(rule.rule.pattern)?.spec ?? '';
  const host = hostOfUrl(/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`);
  if (entry.url === undefined || host === null) return null;
  const name = host.replaceAll('*', bench.maker.fresh(1));
  const witness = addressCall(tool.name, entry, `https://${name}/`);
  if (matchesAlone(bench, rule, witness)) return null;
  return {
    kind: 'wrong-syntax',
    witness,
    explanation: `\`${tool.name}\` rules compare hosts, not addresses`,
    fix: `write \`${tool.name}(domain:${host})\``,
  };
}
