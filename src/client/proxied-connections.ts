import { ProxyAgent, request } from 'undici';
import type { Connections } from './connections.ts';

/** A proxy that requests go through. */
export interface Proxy {
  /** Its address, with its credentials. */
  readonly address: string;
  /** The environment variable that sets it. */
  readonly variable: string;
}

/**
 * Connects to a server through a proxy. HTTPS connections are tunnelled.
 * @param origin such as `https://api.example.com`
 */
export function proxiedConnections(origin: string, { address }: Proxy): Connections {
  // The deadline of a request covers headers and body. undici's own timeouts restart with each part that arrives.
  const dispatcher = new ProxyAgent({ uri: address, allowH2: false, connectTimeout: 10_000, headersTimeout: 0, bodyTimeout: 0 });
  return {
    async send({ method, path, headers, body = null }, signal) {
      const response = await request(origin + path, { method, headers, body, dispatcher, signal });
      return { status: response.statusCode, headers: response.headers, body: response.body };
    },
    close: () => dispatcher.destroy(),
  };
}
