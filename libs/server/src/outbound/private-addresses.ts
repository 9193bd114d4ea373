/** Which IP addresses are not on the public internet: this machine, private networks, metadata services, multicast and the like. */
import { BlockList, isIP } from 'node:net';

/** Special-purpose ranges of the IANA registries, the ones that are reachable from everywhere left out. */
const IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Only 2000::/3 is global unicast; of it, what carries IPv4 or is set aside. */
const IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const closed4 = listOf(IPV4, 'ipv4');
const closed6 = listOf(IPV6, 'ipv6');
const global6 = listOf(['2000::/3'], 'ipv6');

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = '', prefix] = range.split('/');
    list.addSubnet(net, Number(prefix), family);
  }
  return list;
}

/** INVARIANT: anything that is not certainly a public address counts as private, text that is no address too. */
export function isPrivateAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return closed4.check(address, 'ipv4');
    case 6:
      return !global6.check(address, 'ipv6') || closed6.check(address, 'ipv6');
    default:
      return true;
  }
}
