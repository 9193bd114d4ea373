/** `domain:` rules: hosts compared as names, never as text inside a URL. */

import { hostForms, isPlainHost } from './host-forms.js';

/** A compiled domain pattern: labels from left to right; `*` inside a label stays inside it, a leading `*.` takes any depth. */
export interface DomainPattern {
  readonly everything: boolean;
  readonly anyDepth: boolean;
  readonly labels: readonly string[];
}

/** Compiles what follows `domain:`; null when it is empty. */
export function compileDomain(text: string): DomainPattern | null {
  const name = text.trim().toLowerCase().replace(/\.$/, '');
  if (name === '') return null;
  if (name === '*') return { everything: true, anyDepth: false, labels: [] };
  const anyDepth = name.startsWith('*.');
  return { everything: false, anyDepth, labels: (anyDepth ? name.slice(2) : name).split('.') };
}

/** True when the host (lower case, without port and final dot) is covered. `*.x` covers subdomains of x, not x itself. */
export function domainMatches(pattern: DomainPattern, host: string): boolean {
  if (pattern.everything) return true;
  const labels = host.split('.');
  const extra = labels.length - pattern.labels.length;
  if (pattern.anyDepth ? extra < 1 : extra !== 0) return false;
  return pattern.labels.every((label, index) => labelMatches(label, labels[index + extra] ?? ''));
}

function labelMatches(pattern: string, label: string): boolean {
  if (!pattern.includes('*')) return pattern === label;
  const pieces = pattern.split('*');
  const first = pieces[0] ?? '';
  const last = pieces[pieces.length - 1] ?? '';
  if (label.length < first.length + last.length || !label.startsWith(first) || !label.endsWith(last)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = label.indexOf(piece, at);
    if (found < 0 || found + piece.length > label.length - last.length) return false;
    at = found + piece.length;
  }
  return true;
}

/**
 * The host that a client would connect to, in lower case without port and final dot; null when the text is not a plain
 * http(s) or ws(s) URL, carries user information, a backslash or an invisible character (readers of URLs disagree about those), or
 * writes its host in letters or numbers that are read as others.
 */
export function hostOfUrl(url: string): string | null {
  const authority = /^\s*(?:https?|wss?):\/\/([^/?#]*)/i.exec(url)?.[1] ?? '';
  if (authority === '' || /[\s\\@\p{Cc}\p{Cf}]/u.test(authority) || /[\t\n\r\\]/.test(url)) return null;
  const host = authority.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  return isPlainHost(host) ? host : null;
}

const MAX_HOSTS = 64;

/** Every host that some reader of the URL might connect to: what denies compare with. Empty when there is none at all. */
export function possibleHosts(url: string): string[] {
  const host = hostOfUrl(url);
  if (host !== null) return hostForms(host);
  const rest = url.replace(/[\t\n\r]/g, '').replace(/^[^:/\\]*:[/\\]*/, '');
  return rest
    .split(/[/\\?#@\s]/)
    .map((part) => part.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase())
    .filter((part) => part !== '')
    .slice(0, MAX_HOSTS)
    .flatMap(hostForms);
}
