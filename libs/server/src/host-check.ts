/** Keeps other web sites out: a page that rebinds its name to our address still sends its own Host and Origin. */
import type { IncomingHttpHeaders } from 'node:http';

export interface HostCheckOptions {
  /** The address we listen on; it is a good Host unless it means "every address". */
  readonly host: string;
  /** Further host names, without port, that people reach us by. Pages served from them may call us. */
  readonly allowedHosts?: readonly string[];
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/** Spellings of good Host headers that are remembered. */
const MAX_PASSED = 100;
const EVERY_ADDRESS = ['0.0.0.0', '::', ''];

/** True when Host names us, and Origin, if any, is our own page or that of an allowed host. */
export function createHostCheck(options: HostCheckOptions): (headers: IncomingHttpHeaders) => boolean {
  const allowed = new Set((options.allowedHosts ?? []).map((name) => bracketed(name.toLowerCase())));
  const ours = new Set([...LOOPBACK, ...allowed]);
  if (!EVERY_ADDRESS.includes(options.host)) ours.add(bracketed(options.host.toLowerCase()));
  // Clients send the same name with every request. Whoever adds names can only repeat one of ours, with another port.
  const passed = new Set<string>();
  return (headers) => {
    const name = headers.host ?? '';
    if (headers.origin === undefined && passed.has(name)) return true;
    const host = hostOf(`http://${name}`);
    if (!host || !ours.has(host.hostname)) return false;
    if (passed.size < MAX_PASSED) passed.add(name);
    if (headers.origin === undefined) return true;
    const origin = hostOf(headers.origin);
    return origin !== null && (origin.host === host.host || allowed.has(origin.hostname));
  };
}

function bracketed(name: string): string {
  return name.includes(':') && !name.startsWith('[') ? `[${name}]` : name;
}

/** Host with its port, and without; null for what is no plain `scheme://host`. */
function hostOf(text: string): { host: string; hostname: string } | null {
  if (!/^https?:\/\/[^/?#@\\\s]+$/i.test(text) || !URL.canParse(text)) return null;
  const { hostname, port, protocol } = new URL(text);
  return { hostname, host: `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}` };
}
