import { type Agent, EnvHttpProxyAgent } from 'undici';

/** A proxy that requests go through. */
export interface Proxy {
  /** Its address, with its credentials. */
  readonly address: string;
  /** The hosts that are reached without it, as NO_PROXY lists them. */
  readonly noProxy: string;
  /** The environment variable that names it. */
  readonly variable: string;
}

/** Creates connections through a proxy. Those of HTTPS are tunnelled. */
export function proxyAgent({ address, noProxy }: Proxy, options: Agent.Options & { connectTimeout: number }): EnvHttpProxyAgent {
  return new EnvHttpProxyAgent({ ...options, httpProxy: address, httpsProxy: address, noProxy });
}
