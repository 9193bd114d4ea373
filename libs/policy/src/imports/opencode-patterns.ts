/** Writes OpenCode's patterns as our rules, tool by tool: exactly, or for denies and asks with more than was meant. */
import type { Effect } from '@countersign/contracts';
import { closedSpec, literalText } from './command-words.js';
import { OPENCODE_TOOLS } from './names.js';

/** Rules for one entry. `exact` false: they match more. No rules: the pattern cannot be said. */
export interface WrittenPatterns {
  readonly patterns: readonly string[];
  readonly exact: boolean;
  readonly why?: string;
}

const NOTHING = (why: string): WrittenPatterns => ({ patterns: [], exact: false, why });

/** Rules for a pattern under one of OpenCode's own permission keys. */
export function writePatterns(key: string, pattern: string, effect: Effect): WrittenPatterns {
  const tools = toolsOf(key);
  if (pattern === '*' || pattern === '**') return { patterns: tools, exact: true };
  switch (key) {
    case 'bash':
      return commandPattern(pattern);
    case 'read':
      return filePattern('Read', pattern, effect);
    case 'edit':
      return filePattern('Edit', pattern, effect);
    case 'task':
    case 'skill':
      return namePattern(tools[0] ?? key, pattern);
    case 'webfetch':
      return urlPattern(pattern);
    default:
      return NOTHING('patterns of this permission have no counterpart');
  }
}

/** The tools that a permission governs. */
export function toolsOf(key: string): readonly string[] {
  return Object.hasOwn(OPENCODE_TOOLS, key) ? (OPENCODE_TOOLS[key] ?? []) : [];
}

/** `*` is any text there and here, a trailing ` *` also nothing; `?` is wider here; home is not written out here. */
function commandPattern(pattern: string): WrittenPatterns {
  const pieces = pattern.split('*').map((text) =>
    text
      .split('?')
      .map((part) => literalText(part).spec)
      .join('*'),
  );
  const spec = closedSpec(pieces.join('*'));
  if (spec === '*' || spec === '') return { patterns: ['Bash'], exact: false, why: WIDER };
  if (/^(?:~|\$HOME)/.test(pattern)) {
    const anywhere = `Bash(*${spec.replace(/^(?:~|\$HOME)/, '')})`;
    return { patterns: [`Bash(${spec})`, anywhere], exact: false, why: 'home is not written out here' };
  }
  // A trailing ` **` wants a blank there; here it is a ` *`, which may be nothing.
  const exact = !/["'?\p{Cc}]|\*\*|\s{2}|^\s|[^\S ]|\s$/u.test(pattern);
  return { patterns: [`Bash(${spec})`], exact, ...(exact ? {} : { why: WIDER }) };
}

const WIDER = 'a character of the pattern cannot be said exactly';
const SAFE = '[\\w.@+-]';
/** `docs/**`, `/etc/*`, `~/x/**`: all below a folder. */
const FOLDER = new RegExp(`^(?:/|~/|\\./)?${SAFE}+(?:/${SAFE}+)*/\\*{1,2}$`);
/** A path or a name: `src/a.ts`, `.env`, `*.pem`, `*secret*`, maybe after `*` and a slash. A name's stars cross no literal. */
const PLACE = new RegExp(`^(?:(?:\\*{1,2}/|/|~/|\\./)?${SAFE}+(?:/${SAFE}+)*|\\*{0,2}/?\\*?${SAFE}+\\*?)$`);

/**
 * Paths there are texts relative to the project, in which `*` also crosses folders; a rule here covers all below what it names.
 * So an allow is exact only for all of a folder. A deny or ask that names no plain place takes the folder before its wildcard.
 */
function filePattern(tool: string, pattern: string, effect: Effect): WrittenPatterns {
  const path = pattern.replace(/^\$HOME(?=\/|$)/, '~').replaceAll('\\', '/');
  const climbs = path.split('/').includes('..');
  if (FOLDER.test(path) && !climbs)
    return { patterns: anchor(tool, path.replace(/\*{1,2}$/, '**'), effect), exact: true };
  if (effect === 'allow') return NOTHING('only all of a folder can be allowed exactly');
  const why = 'a wildcard there crosses folders';
  if (PLACE.test(path) && !climbs)
    return { patterns: anchor(tool, path.replace(/^\*{1,2}\//, ''), effect), exact: true };
  const segments = path.split('/');
  const wild = segments.findIndex((segment) => !/^[\w.@+~-]*$/.test(segment) || segment === '..');
  const head = (wild === -1 ? segments : segments.slice(0, wild)).join('/');
  if (/^[~./]*$/.test(head)) return { patterns: [tool], exact: false, why };
  return { patterns: anchor(tool, `${head}/**`, effect), exact: false, why };
}

/** Absolute and home paths keep their anchor; a relative allow starts at the root, a relative deny or ask anywhere. */
function anchor(tool: string, path: string, effect: Effect): string[] {
  if (path.startsWith('~/')) return [`${tool}(${path})`];
  if (path.startsWith('/')) return [`${tool}(/${path})`];
  const plain = path.replace(/^\.\//, '');
  return effect === 'allow' ? [`${tool}(/${plain})`] : [`${tool}(${plain})`, `${tool}(//**/${plain})`];
}

function namePattern(tool: string, pattern: string): WrittenPatterns {
  if (/^[\w.:/-]+$/.test(pattern) && !pattern.includes(':')) return { patterns: [`${tool}(${pattern})`], exact: true };
  return { patterns: [tool], exact: false, why: 'patterns on names have no counterpart' };
}

/** Of `https://host/…` the host alone is compared; every other pattern is the whole tool. */
function urlPattern(pattern: string): WrittenPatterns {
  const why = 'addresses are compared by host';
  const host = /^https?:\/\/([A-Za-z0-9.-]+)(?:\/.*)?$/.exec(pattern)?.[1];
  return { patterns: [host === undefined ? 'WebFetch' : `WebFetch(domain:${host})`], exact: false, why };
}
