/** The egress policy: which addresses the service may call. It checks the address of the connection. */
import ipaddr from 'ipaddr.js';

export interface EgressSettings {
  /** Addresses that are not public: loopback, private, link-local and reserved. */
  readonly privateAddresses: 'allow' | 'refuse';
  /** Ranges such as `10.1.0.0/16` that are permitted although they are not public. */
  readonly allowed: readonly string[];
  /** Ranges that are forbidden. Takes precedence over `allowed`. */
  readonly denied: readonly string[];
  readonly httpsOnly: boolean;
}

export const egressDefaults: EgressSettings = { privateAddresses: 'allow', allowed: [], denied: [], httpsOnly: false };

export interface Egress {
  /** Returns why a URL with this protocol (`https:`) and host is forbidden, without resolving the name. */
  rejectionOf(protocol: string, hostname: string): string | undefined;
  /** Returns why the address is forbidden; undefined when it is permitted. */
  rejectionOfAddress(address: string): string | undefined;
}

/** Matches every notation of an IP address. For other texts, ipaddr.js creates several errors to find that they are none. */
const mayBeAddress = /:|^[0-9a-fx.]+$/i;

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Metadata services of clouds, which return credentials. */
const metadataRanges: readonly Range[] = [
  // AWS, Google, Azure, Oracle, DigitalOcean and most others; containers and pods of AWS; Tencent; Scaleway.
  ...['169.254.169.254', '169.254.170.2', '169.254.170.23', '169.254.0.23', '169.254.42.42'],
  // Alibaba; Oracle's older service; Azure's host.
  ...['100.100.100.200', '192.0.0.192', '168.63.129.16'],
  // AWS, its pods, Google, Scaleway, and the address of most others as link-local.
  ...['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fd00:42::42', 'fe80::a9fe:a9fe'],
].map(rangeOf);

const metadataNames: ReadonlySet<string> = new Set([
  ...['metadata.google.internal', 'metadata.goog', 'instance-data.ec2.internal', 'metadata.tencentyun.com'],
]);

const reasons = {
  metadata: 'the address is that of a cloud metadata service, which is always forbidden',
  denied: 'the address is in a range that the egress settings forbid',
  private: 'the address is not public, and the egress settings forbid those',
  https: 'the egress settings forbid plain http',
  unreadable: 'the address is not valid',
};

/** Throws an Error for an invalid range. */
export function createEgress({ privateAddresses, allowed, denied, httpsOnly }: EgressSettings): Egress {
  const allowedRanges = allowed.map(rangeOf);
  const deniedRanges = denied.map(rangeOf);

  function rejectionOfAddress(text: string): string | undefined {
    const address = readAddress(text);
    if (address === undefined) return reasons.unreadable;
    const meanings = [address, ...embedded(address)];
    if (meanings.some((one) => isIn(one, metadataRanges))) return reasons.metadata;
    if (meanings.some((one) => isIn(one, deniedRanges))) return reasons.denied;
    if (privateAddresses === 'allow' || isIn(address, allowedRanges) || isIn(translated(address), allowedRanges)) {
      return undefined;
    }
    return isPublic(address) ? undefined : reasons.private;
  }

  return {
    rejectionOf: (protocol, hostname) => {
      if (httpsOnly && protocol !== 'https:') return reasons.https;
      const host = hostname.replace(/^\[(.*)\]$/, '$1');
      if (mayBeAddress.test(host) && ipaddr.isValid(host)) return rejectionOfAddress(host);
      return metadataNames.has(host.toLowerCase().replace(/\.$/, '')) ? reasons.metadata : undefined;
    },
    rejectionOfAddress,
  };
}

const onlyMetadata = createEgress(egressDefaults);

/** Returns why this URL is forbidden whatever the settings; undefined where it depends on them or on name resolution. */
export function rejectionOfUrl({ protocol, hostname }: URL): string | undefined {
  return onlyMetadata.rejectionOf(protocol, hostname);
}

/** Parses `10.0.0.0/8` or one address. */
function rangeOf(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, 8 * address.toByteArray().length];
}

/** Parses an address. Ignores the zone: `fe80::1%eth0`. */
function readAddress(text: string): Address | undefined {
  const address = text.replace(/%.*/s, '');
  return ipaddr.isValid(address) ? ipaddr.parse(address) : undefined;
}

function isIn(address: Address, ranges: readonly Range[]): boolean {
  return ranges.some(([start, bits]) => address.kind() === start.kind() && address.match(start, bits));
}

const inRange = (text: string): ((address: ipaddr.IPv6) => boolean) => {
  const range = rangeOf(text);
  return (address) => isIn(address, [range]);
};
/** IPv4 addresses in IPv6 notation: mapped, translated and NAT64. */
const lastFour = ['::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96'].map(inRange);
const compatible = inRange('::/96');
const localNat64 = inRange('64:ff9b:1::/48');
const sixToFour = inRange('2002::/16');
const teredo = inRange('2001::/32');
const globalUnicast = inRange('2000::/3');

/** Returns the IPv4 address of an IPv6 notation, or the address itself. */
function translated(address: Address): Address {
  if (!(address instanceof ipaddr.IPv6) || !lastFour.some((matches) => matches(address))) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

/** Returns the IPv4 addresses to which tunnels and translators may route an IPv6 address. */
function embedded(address: Address): ipaddr.IPv4[] {
  if (!(address instanceof ipaddr.IPv6)) return [];
  const bytes = address.toByteArray();
  const last = new ipaddr.IPv4(bytes.slice(12));
  if (lastFour.some((matches) => matches(address)) || compatible(address) || isIsatap(bytes)) return [last];
  if (localNat64(address)) return [last, new ipaddr.IPv4([...bytes.slice(6, 8), ...bytes.slice(9, 11)])];
  if (sixToFour(address)) return [new ipaddr.IPv4(bytes.slice(2, 6))];
  if (teredo(address)) {
    const client = bytes.slice(12).map((byte) => byte ^ 0xff);
    return [new ipaddr.IPv4(client), new ipaddr.IPv4(bytes.slice(4, 8))];
  }
  return [];
}

/** Whether the interface id is `0000:5efe` or `0200:5efe` followed by an IPv4 address. */
function isIsatap(bytes: readonly number[]): boolean {
  const [first = 0, second, third, fourth] = bytes.slice(8);
  return (first & 0xfd) === 0 && second === 0 && third === 0x5e && fourth === 0xfe;
}

function isPublic(address: Address): boolean {
  const one = translated(address);
  if (one.range() !== 'unicast') return false;
  return !(one instanceof ipaddr.IPv6) || (globalUnicast(one) && embedded(one).every(isPublic));
}
