import type { Proxy } from '../../client/connections.ts';
import { isLoopbackHost } from '../../contract/loopback.ts';
import { usageError } from '../errors.ts';
import type { World } from '../world.ts';

/**
 * The proxy for a server, from HTTPS_PROXY or HTTP_PROXY. Loopback addresses never use a proxy.
 * @param origin such as `https://api.example.com`
 * @returns null if no proxy is set, or NO_PROXY excludes the server
 * @throws CliError 2 if the variable is not the URL of a proxy
 */
export function proxyFor(origin: string, env: World['env']): Proxy | null {
  const url = new URL(origin);
  const names = url.protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY'];
  const variable = names.find((name) => env[name]);
  if (variable === undefined || isLoopbackHost(url.hostname) || isExcepted(url, env.no_proxy || env.NO_PROXY || '')) return null;
  const given = env[variable] ?? '';
  const address = given.includes('://') ? given : `http://${given}`;
  // The value can contain a password, so the error does not show it.
  if (!isProxy(address))
    throw usageError(
      `${variable} does not contain the address of a proxy`,
      'Set it to an address such as http://proxy.example.com:3128, or unset it.',
    );
  return { address, variable };
}

/**
 * Whether a comma- or space-separated list of hosts contains a server: by its name, a parent domain, or `*`, each with or
 * without a port.
 */
function isExcepted({ protocol, hostname, port }: URL, list: string): boolean {
  const ownPort = port === '' ? { 'https:': '443', 'http:': '80' }[protocol] : port;
  return list.split(/[,\s]+/).some((entry) => {
    const [, name = '', entryPort] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    const isNamed = name === '' ? entry.startsWith('*') : `.${hostname}`.endsWith(`.${name}`);
    return isNamed && (entryPort === undefined || entryPort === ownPort);
  });
}

function isProxy(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  try {
    decodeURIComponent(username + password);
    return protocol === 'http:' || protocol === 'https:';
  } catch {
    return false;
  }
}
