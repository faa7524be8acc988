import ipaddr from 'ipaddr.js';

/** Finds the addresses of a name; none when it does not resolve. */
export type Resolve = (name: string) => Promise<string[]>;

/** Names that never leave the machine or the network that they are used in. */
const privateNames = /(^|\.)(localhost|local|internal)$/;

/** The only part of IPv6 that is given out for use on the Internet. */
const globalIPv6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is one that nobody outside can be reached at: loopback, private, link-local, unique-local, CGNAT,
 * multicast, unspecified, documentation, benchmarking, NAT64, 6to4, Teredo, and every IPv4-mapped or -compatible one
 * (ruling, Webhooks). What is no address counts as private.
 */
export function isPrivateAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return true;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return true;
  return address.kind() === 'ipv6' && !(address as ipaddr.IPv6).match(globalIPv6);
}

/** A URL's host as an address or a name to resolve: without brackets, and without the dot at its end. */
export function bareHost(hostname: string): string {
  return hostname
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
}

/** Whether a host is an address, or a name, that is private as it is written. */
export function isPrivateHost(host: string): boolean {
  return ipaddr.isValid(host) ? isPrivateAddress(host) : host === '' || privateNames.test(host);
}

/**
 * Says what keeps a URL from being fetched: the rule for webhook receivers and knowledge pages, when they are saved.
 * A name that does not resolve is accepted: it is judged at each connection.
 * @returns what is wrong; null when nothing is
 */
export async function refusalOf(text: string, allowPrivate: boolean, resolve: Resolve): Promise<string | null> {
  // A parser would forgive white space, and who compares the text would not.
  if (!/^[a-z]+:\/\/[^\s\p{Cc}]+$/iu.test(text) || !URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  if (url.username || url.password) return 'must not carry a user name or a password: sign deliveries instead';
  if (allowPrivate && url.protocol === 'http:') return null;
  if (url.protocol !== 'https:') return 'must begin with https://';
  if (allowPrivate) return null;
  const host = bareHost(url.hostname);
  if (isPrivateHost(host)) return 'must be publicly reachable, not a private or local address';
  if (ipaddr.isValid(host)) return null;
  const addresses = await resolve(host).catch(() => []);
  return addresses.some(isPrivateAddress) ? 'must be publicly reachable: its name leads to a private address' : null;
}

/** Resolves a name as the system does. */
export async function resolveName(name: string): Promise<string[]> {
  // Loaded with the first name: most commands ask for none.
  const { lookup } = await import('node:dns/promises');
  const found = await lookup(name, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}
