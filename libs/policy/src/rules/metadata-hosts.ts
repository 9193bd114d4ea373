/** Addresses at which a cloud machine is told its own credentials. */
import { ipv4Of } from './host-forms.js';

/** Names of these services, and addresses outside of the range that most of them share. */
const HOSTS = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.tencentyun.com',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
]);

const ADDRESSES_V6 = new Set(['fd00:ec2:0:0:0:0:0:254', 'fd20:ce:0:0:0:0:0:254', 'fd00:42:0:0:0:0:0:42']);

/** Names of public services that stand for the address written in them: `169.254.169.254.nip.io`. */
const WRITTEN_IN_NAME = /(?:^|[.-])169[.-]254[.-]\d{1,3}[.-]\d{1,3}[.-]/;

/** True when one of the hosts, lower case and in all its forms, is such an address: every link-local one of IPv4 counts. */
export function isMetadataHost(host: string): boolean {
  if (HOSTS.has(host) || WRITTEN_IN_NAME.test(host)) return true;
  if (host.startsWith('[')) return ADDRESSES_V6.has(groupsOf(host.slice(1, -1)) ?? '');
  return ipv4Of(host)?.startsWith('169.254.') === true;
}

/** The eight groups of an IPv6 address without leading zeroes; null for any other text. */
function groupsOf(address: string): string | null {
  const halves = address.replace(/%.*$/, '').split('::');
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - tail.length;
  if (halves.length > 2 || (halves.length === 1 ? missing !== 0 : missing < 1)) return null;
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/.test(group))) return null;
  return groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':');
}
