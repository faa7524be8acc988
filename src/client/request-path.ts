import { type Endpoint, fullPath, pathParameters } from '../contract/endpoint.ts';
import { InvalidParameter } from './errors.ts';

/**
 * The path of a call from the root of the server.
 * @throws InvalidParameter for a value that would change the path: an empty one, `.` or `..`
 */
export function requestPath(endpoint: Endpoint, params: Record<string, string>): string {
  return pathParameters(endpoint.path).reduce<string>((at, name) => {
    const value = params[name] ?? '';
    if (/^\.{0,2}$/.test(value)) throw new InvalidParameter(value === '' ? 'An id must not be empty' : `'${value}' is not an id`);
    return at.replace(`{${name}}`, () => encodeURIComponent(value));
  }, fullPath(endpoint));
}

/** The query string of a call with its question mark; empty if no value is given. Lists are separated by commas. */
export function queryString(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  const texts = given.map(([name, value]): [string, string] => [name, queryText(value)]);
  return `?${new URLSearchParams(texts).toString()}`;
}

function queryText(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
