/** The other ways to write a host: addresses as numbers, in octal or hexadecimal, inside IPv6, letters that browsers fold. */

/** IPv4 as programs read it: one to four parts, each decimal, octal or hexadecimal, the last filling what is left. Null: a name. */
export function ipv4Of(host: string): string | null {
  const parts = host.split('.');
  if (parts.length > 4 || !parts.every((part) => PART.test(part))) return null;
  const numbers = parts.map(numberOf);
  const last = numbers.pop() ?? 0;
  if (numbers.some((number) => number > 255) || last >= 256 ** (4 - numbers.length)) return null;
  const value = numbers.reduce((sum, number, place) => sum + number * 256 ** (3 - place), last);
  return [24, 16, 8, 0].map((shift) => String(Math.floor(value / 2 ** shift) % 256)).join('.');
}

const PART = /^(?:0x[0-9a-f]*|\d+)$/;

function numberOf(part: string): number {
  if (part.startsWith('0x')) return part.length === 2 ? 0 : Number.parseInt(part.slice(2), 16);
  return /^0[0-7]+$/.test(part) ? Number.parseInt(part, 8) : Number(part);
}

/** True for a host that says by its plain letters what it is: ASCII, and no address in an unusual form. */
export function isPlainHost(host: string): boolean {
  if (!/^(?:[a-z0-9_*-]+(?:\.[a-z0-9_*-]+)*|\[[0-9a-f:.]+\])$/.test(host)) return false;
  const address = ipv4Of(host);
  return address === null || address === host;
}

/** True for a plain host that has no other forms: a name, and not that of the machine itself. */
export function isOrdinaryHost(host: string): boolean {
  return /^(?!.*localhost$)[a-z_*-][a-z0-9_*.-]*\.[a-z-]{2,}$/.test(host);
}

/** The host (lower case) and every other name of what it may mean; the host itself first. */
export function hostForms(host: string): string[] {
  const out = new Set([host]);
  const folded = withoutFinalDot(
    decoded(host)
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[\u3002\uFF0E\uFF61]/g, '.'),
  );
  // Characters that nobody sees are left out by browsers.
  out.add(folded.replace(/[\u00AD\u200B-\u200D\u2060\uFEFF]/g, ''));
  for (const form of [...out]) addAddresses(out, form);
  return [...out].filter((form) => form !== '');
}

function addAddresses(out: Set<string>, form: string): void {
  const address = ipv4Of(form) ?? mappedIpv4(form);
  if (address !== null) out.add(address);
  const isLoopback =
    form === 'localhost' ||
    form.endsWith('.localhost') ||
    LOOPBACK_V6.test(form) ||
    /^(?:127\.|0\.0\.0\.0$)/.test(address ?? '');
  if (isLoopback) for (const name of LOOPBACK) out.add(name);
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const LOOPBACK_V6 = /^\[(?:0{0,4}:){2,7}0{0,3}1?\]$/;

/** `[::ffff:a9fe:a9fe]`, `[::ffff:169.254.169.254]` and the like: an IPv4 address at the end of an IPv6 one. */
function mappedIpv4(host: string): string | null {
  const dotted = /^\[[0:]*(?:ffff:|64:ff9b::)?(\d+\.\d+\.\d+\.\d+)\]$/.exec(host)?.[1];
  if (dotted !== undefined) return ipv4Of(dotted);
  const [, high = '', low = ''] = /^\[(?:[0:]*ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host) ?? [];
  return high === '' ? null : ipv4Of(String(Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16)));
}

function withoutFinalDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

function decoded(host: string): string {
  return host.replace(/%([0-9a-f]{2})/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
