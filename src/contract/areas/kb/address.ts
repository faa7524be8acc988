import { limits } from '../../limits.ts';

/** Parameters that say where a visitor came from, and nothing about the page. */
const trackingParameters =
  /^(utm_\w+|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|twclid|igshid|mc_cid|mc_eid|_ga|_gl|ref_src|hsa_\w+|pk_\w+|piwik_\w+)$/i;

/** Parameters that identify a visit. */
const sessionParameters = /^(phpsessid|jsessionid|aspsessionid\w*|sessionid|session_id|sid|cfid|cftoken)$/i;

/**
 * The address of a page as it is requested: without fragment, tracking parameters and session ids.
 * @param text an http or https address
 * @returns undefined for anything else
 */
export function pageAddress(text: string): URL | undefined {
  if (text.length > limits.pageUrlLength) return undefined;
  const url = URL.parse(text.trim());
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '' || url.username !== '' || url.password !== '') return undefined;
  url.hash = '';
  url.pathname = url.pathname.replace(/;jsessionid=[^/]*/i, '');
  // Rewriting the query changes how it is escaped, so it is done only where something is left out.
  const dropped = [...url.searchParams.keys()].filter((name) => trackingParameters.test(name) || sessionParameters.test(name));
  for (const name of dropped) url.searchParams.delete(name);
  if (url.search === '') url.search = '';
  return url;
}

/** Identifies a page: addresses that differ only in the order of their parameters or a final slash lead to the same one. */
export function pageKey(url: URL): string {
  const parameters = [...url.searchParams].map(([name, value]) => `${name}=${value}`).sort();
  return `${url.protocol}//${hostOf(url)}${withoutFinalSlashes(url.pathname)}?${parameters.join('&')}`;
}

/** The host of a page: its name, with the port where that is not the default. */
export function hostOf(url: URL): string {
  return url.host.replace(/\.(?=:|$)/, '');
}

/** The host that a user names as `https://example.com/docs`, `example.com` or `example.com:8080`; undefined when it is none. */
export function namedHost(text: string): string | undefined {
  const url = pageAddress(withScheme(text));
  return url && hostOf(url);
}

/** The address that a user means who leaves its scheme out. */
export function withScheme(text: string): string {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(text.trim()) ? text : `https://${text.trim()}`;
}

/** A regular expression would take quadratic time for slashes that are not at the end. */
function withoutFinalSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}
