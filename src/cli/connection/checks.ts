import type { World } from '../world.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { flagOrVariable } from '../global-options.ts';

/** The problem with a key or token that contains an invalid character, such as a line break; undefined if it is valid. */
export function keyProblem(key: string, what: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(key) ? undefined : `${what} contains a character that is not allowed in a key`;
}

/** @throws CliError 4 if a key or token contains an invalid character */
export function checkKey(key: string, what: string): void {
  const problem = keyProblem(key, what);
  if (problem !== undefined) throw new CliError(exitCodes.notAllowed, 'not_authenticated', problem);
}

/** Reads a key or token from the environment; undefined if the variable is not set. @throws CliError 4 if it is invalid */
export function readSecret(
  env: World['env'],
  variable: 'MSGCTL_API_KEY' | 'MSGCTL_MCP_TOKEN' | 'MSGCTL_SANDBOX_TOKEN',
): string | undefined {
  const value = env[variable]?.trim();
  if (!value) return undefined;
  checkKey(value, variable);
  return value;
}

/** Reads the base URL from the option or the environment; undefined if neither has one. @throws CliError 2 if it is not valid */
export function readAddress(flag: string | undefined, env: World['env']): string | undefined {
  const given = flagOrVariable(flag, env, 'MSGCTL_BASE_URL');
  if (given === undefined) return undefined;
  try {
    return parseAddress(given);
  } catch (error) {
    if (flag !== undefined || !(error instanceof CliError)) throw error;
    throw error.with({ message: `MSGCTL_BASE_URL: ${error.message}` });
  }
}

/**
 * Parses the base URL of a service.
 * @throws CliError 2 unless it is an http or https URL without credentials, query and fragment
 */
export function parseAddress(given: string): string {
  const address = given.trim();
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw usageError(`'${address}' is not an address`, 'Give the base address of the service, such as https://api.example.com/v1');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw usageError(`The address must begin with https:// or http://, not ${url.protocol}`);
  if (url.username || url.password) throw usageError('The address must not contain a user name or a password: set MSGCTL_API_KEY');
  if (url.search || url.hash) throw usageError('The address must not contain a query or a fragment');
  return address;
}

/** The origin of the server for a base URL, which ends with the version prefix. */
export function originOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
}
