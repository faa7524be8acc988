import { limits } from '../../limits.ts';

/** Query parameters that track where a visitor came from. They do not affect the page. */
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
  // Rewriting the query changes its escaping, so it is rewritten only when a parameter is dropped.
  const parameters = [...url.searchParams];
  const kept = parameters.filter(([name]) => !trackingParameters.test(name) && !sessionParameters.test(name));
  // All at once, because each single change of `searchParams` would write the whole query anew.
  if (kept.length < parameters.length) url.search = new URLSearchParams(kept).toString();
  if (url.search === '') url.search = '';
  return url;
}

/**
 * Identifies a page. Addresses that differ only in the order of their parameters or in trailing slashes identify the same page.
 */
export function pageKey(url: URL): string {
  const parameters = [...url.searchParams].map(([name, value]) => `${name}=${value}`).sort();
  return `${url.protocol}//${hostOf(url)}${withoutFinalSlashes(url.pathname)}?${parameters.join('&')}`;
}

/** The host of a page: its name, with the port unless it is the default. */
export function hostOf(url: URL): string {
  return url.host.replace(/\.(?=:|$)/, '');
}

const hostNameOf = (url: URL) => url.hostname.replace(/\.$/, '');

/**
 * The website that a user typed as `https://example.com/docs`, `example.com` or `example.com:8080`; undefined when the text is
 * not an address. A single word such as `shop` is one only with its scheme, except for `localhost`.
 */
export function namedWebsite(text: string): URL | undefined {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text.trim())) return pageAddress(text);
  const url = pageAddress(`https://${text.trim()}`);
  return url && /[.[]|^localhost$/.test(hostNameOf(url)) ? url : undefined;
}

/** The host of a website that a user typed. */
export function namedHost(text: string): string | undefined {
  const url = namedWebsite(text);
  return url && hostOf(url);
}

/** Removes trailing slashes. A regular expression would take quadratic time on slashes that are not at the end. */
function withoutFinalSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}
