import type { Proxy } from '../../client/proxy-agent.ts';
import { isLoopbackHost } from '../../contract/loopback.ts';
import { usageError } from '../errors.ts';
import type { World } from '../world.ts';

/**
 * The proxy that the environment names for a server, by the variables that curl reads. This machine is never reached through
 * one.
 * @param origin such as `https://api.example.com`
 * @returns null when there is none
 * @throws CliError 2 when the variable is not the address of a proxy
 */
export function proxyFor(origin: string, env: World['env']): Proxy | null {
  const { protocol, hostname } = new URL(origin);
  if (isLoopbackHost(hostname)) return null;
  const names = protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY'];
  const variable = names.find((name) => env[name]);
  if (variable === undefined) return null;
  const given = env[variable] ?? '';
  const address = given.includes('://') ? given : `http://${given}`;
  // The value can contain a password, so the error does not show it.
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw usageError(
      `${variable} is not the address of a proxy`,
      'Set it to an address such as http://proxy.example.com:3128, or unset it',
    );
  return { address, variable, noProxy: env.no_proxy ?? env.NO_PROXY ?? '' };
}
