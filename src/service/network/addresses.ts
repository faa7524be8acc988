import { isLoopbackHost } from '../../contract/loopback.ts';
import { receiverUrlFlaw } from '../../contract/receiver-url.ts';
import ipaddr from 'ipaddr.js';

/** Whether plain http and private addresses may be used: all, those of this machine, or none. */
export type PrivateAddresses = boolean | 'loopback';

/** How the operator of a server allows private addresses, as the end of an error. */
const howToAllow = ' (`msgctl serve --allow-private-receivers` allows http and private addresses)';

/** Resolves a name to its addresses. Rejects or returns an empty list when the name does not resolve. */
export type Resolve = (name: string) => Promise<string[]>;

/** Names that are used only within a machine or a local network (rule webhooks.23): some endings, and every name without a dot. */
const privateNames = /^[^.]*$|\.(localhost|local|internal|lan|corp|home|home\.arpa)$/;

/** Public addresses that are reachable only inside of a cloud: the platform of Azure, and the services of IBM Cloud. */
const cloudNetworks = ['168.63.129.16/32', '161.26.0.0/16', '166.8.0.0/14'].map((network) => ipaddr.IPv4.parseCIDR(network));

/** The only IPv6 addresses that are routed on the Internet. */
const globalIPv6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is private (rule webhooks.22): loopback, private, link-local, unique-local, CGNAT, multicast, unspecified,
 * documentation, benchmarking, NAT64, 6to4, Teredo, cloud-internal, and every IPv4-mapped or -compatible address. Text that is
 * not an address counts as private.
 */
export function isPrivateAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return true;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return true;
  if (address.kind() === 'ipv4') return cloudNetworks.some((network) => (address as ipaddr.IPv4).match(network));
  return !(address as ipaddr.IPv6).match(globalIPv6);
}

/** Whether a connection to an address is not allowed. */
export function isRefusedAddress(text: string, allowed: PrivateAddresses): boolean {
  if (allowed === true || !isPrivateAddress(text)) return false;
  return allowed === false || !isLoopbackHost(ipaddr.isValid(text) ? ipaddr.process(text).toString() : text);
}

/** Whether a host is an address that is not allowed, or a name that is known to have none that is, without a lookup. */
export function isRefusedHost(host: string, allowed: PrivateAddresses): boolean {
  if (allowed === true || !isPrivateHost(host)) return false;
  return allowed === false || !isLoopbackHost(host);
}

/** The network of a remote address that a single client may control: an IPv4 address, or an IPv6 network of 64 bits. */
export function networkOf(text: string): string {
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  return address.kind() === 'ipv4' ? address.toString() : (address as ipaddr.IPv6).parts.slice(0, 4).join(':');
}

/** The host of a URL as an address or a resolvable name: without brackets and without a trailing dot. */
export function bareHost(hostname: string): string {
  return hostname
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
}

/** Whether a host is a private address, or a name that is known to be private without a lookup. */
function isPrivateHost(host: string): boolean {
  return ipaddr.isValid(host) ? isPrivateAddress(host) : privateNames.test(host);
}

/**
 * Checks whether a URL may be used as a webhook receiver, when the URL is saved. A name that does not resolve is accepted,
 * because addresses are checked again at each connection.
 * @returns the reason for refusing it, as the end of a sentence; undefined when the URL is accepted
 */
export async function addressFlaw(text: string, allowPrivate: PrivateAddresses, resolve: Resolve): Promise<string | undefined> {
  const flaw = receiverUrlFlaw(text);
  if (flaw !== undefined) return flaw;
  const url = new URL(text);
  const isPlain = url.protocol === 'http:';
  if (isPlain && allowPrivate !== true && !(allowPrivate === 'loopback' && isLoopbackHost(bareHost(url.hostname))))
    return `must begin with https://${howToAllow}`;
  return await hostFlaw(url, allowPrivate, resolve);
}

/**
 * Checks in advance, as far as possible, whether connections to the host of a URL are allowed. A name that does not resolve is
 * accepted.
 * @returns the reason for refusing it, as the end of a sentence; undefined when it is accepted
 */
export async function hostFlaw(url: URL, allowPrivate: PrivateAddresses, resolve: Resolve): Promise<string | undefined> {
  if (allowPrivate === true) return undefined;
  const host = bareHost(url.hostname);
  if (isRefusedHost(host, allowPrivate)) return `must be publicly reachable, not a private or local address${howToAllow}`;
  if (ipaddr.isValid(host)) return undefined;
  const addresses = await resolve(host).catch(() => []);
  const isRefused = addresses.some((address) => isRefusedAddress(address, allowPrivate));
  return isRefused ? `must be publicly reachable: its name resolves to a private address${howToAllow}` : undefined;
}

/** Resolves a name with the system's resolver. */
export async function resolveName(name: string): Promise<string[]> {
  // Loaded on first use, because most commands do not resolve names.
  const { lookup } = await import('node:dns/promises');
  const found = await lookup(name, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}
