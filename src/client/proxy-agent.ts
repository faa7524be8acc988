import { type Agent, ProxyAgent } from 'undici';

/** A proxy that requests go through. */
export interface Proxy {
  /** Its address, with its credentials. */
  readonly address: string;
  /** The environment variable that sets it. */
  readonly variable: string;
}

/** Creates connections through a proxy. HTTPS connections are tunnelled. */
export function proxyAgent({ address }: Proxy, options: Agent.Options): ProxyAgent {
  return new ProxyAgent({ ...options, uri: address });
}
