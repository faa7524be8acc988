import ipaddr from 'ipaddr.js';

type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Reads an address, or a network such as 10.0.0.0/8. @returns undefined for a text that is neither */
export function readNetwork(text: string): Network | undefined {
  try {
    if (text.includes('/')) {
      const [address, bits] = ipaddr.parseCIDR(text);
      const isMapped = address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress() && bits >= 96;
      return isMapped ? [(address as ipaddr.IPv6).toIPv4Address(), bits - 96] : [address, bits];
    }
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch {
    return undefined;
  }
}

/** The proxies before the server, which tell the address of the client. */
export class TrustedProxies {
  readonly #networks: readonly Network[];

  /** @param networks addresses and networks, each as `readNetwork` reads it */
  constructor(networks: readonly string[]) {
    this.#networks = networks.map(readNetwork).filter((network) => network !== undefined);
  }

  /**
   * The address of a client (rule widgets.18): that of the connection, or behind a trusted proxy the last one in X-Forwarded-For that is
   * none of them.
   */
  clientOf(connection: string, forwarded: string | undefined): string {
    if (forwarded === undefined || !this.#isTrusted(connection)) return connection;
    let client = connection;
    for (const each of forwarded.split(',').reverse()) {
      // Some proxies write the port too.
      const text = each.trim().replace(/^\[(.*)\](?::\d+)?$|^(\d+(?:\.\d+){3}):\d+$/, '$1$2');
      // What a proxy did not write is not believed.
      if (!ipaddr.isValid(text)) return client;
      client = text;
      if (!this.#isTrusted(text)) return client;
    }
    return client;
  }

  #isTrusted(text: string): boolean {
    if (this.#networks.length === 0 || !ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return this.#networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  }
}
