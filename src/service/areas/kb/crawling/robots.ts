import robotsModule from 'robots-parser';
import { sum } from '../../../../contract/sum.ts';
import { Unreadable } from '../reading/document.ts';
import type { PageClient } from './page-client.ts';

/** The crawler's user agent name in robots.txt. */
export const crawlerName = 'msgctl';

/** How much of a robots.txt is read, in bytes: as much as every crawler must read (RFC 9309, 2.5). */
const bytesRead = 500 * 1024;

/** How long the rules of a host are cached, and how long a failure to read them is cached, in real milliseconds. */
const keptFor = 10 * 60_000;
const failureKeptFor = 60_000;

/** The maximum number of hosts whose rules are cached. */
const originsMax = 500;

/** Limits on the number, length and wildcards of a host's rules, because each address is compared with every rule. */
const rulesMax = 1_000;
const ruleLength = 500;
const ruleWildcards = 5;

/**
 * The maximum length of an address times that of all rules with wildcards, which are tried at every place of the address. A
 * comparison then takes some milliseconds. Longer addresses of such a host may not be read.
 */
const wildcardComparisonsMax = 2_000_000;

/** The longest pause between requests that a host can ask for, in milliseconds. */
const longestDelay = 5_000;

/** The rules of a host for the crawler. */
export interface Rules {
  readonly allows: (url: string) => boolean;
  /** The pause between two requests, in milliseconds. */
  readonly delay: number;
  readonly sitemaps: readonly string[];
}

/** The part of the package's interface that is used. */
interface Robot {
  isAllowed(url: string, agent: string): boolean | undefined;
  getCrawlDelay(agent: string): number | undefined;
  getSitemaps(): string[];
}

const everything: Rules = { allows: () => true, delay: 0, sitemaps: [] };

/** The rules of hosts for crawlers, according to RFC 9309. */
export class Robots {
  readonly #client: PageClient;
  readonly #realNow: () => number;
  readonly #known = new Map<string, { readonly rules: Promise<Rules>; readonly until: number; readonly hasFailed: boolean }>();

  constructor(client: PageClient, realNow: () => number) {
    this.#client = client;
    this.#realNow = realNow;
  }

  /** Reads the rules of an origin anew when they are needed next. A failure to read them stays cached. */
  forget({ origin }: URL): void {
    if (this.#known.get(origin)?.hasFailed === false) this.#known.delete(origin);
  }

  /** The rules for the pages of an origin. @throws Unreadable when they cannot be read; nothing may then be read from the host */
  async rulesFor({ origin }: URL): Promise<Rules> {
    const now = this.#realNow();
    const known = this.#known.get(origin);
    if (known && known.until > now) return await known.rules;
    for (const [each, { until }] of this.#known) if (until <= now || this.#known.size >= originsMax) this.#known.delete(each);
    const rules = this.#read(origin);
    this.#known.set(origin, { rules, until: now + keptFor, hasFailed: false });
    try {
      return await rules;
    } catch (error) {
      // Caches the failure, so that the pages of an import do not each wait for their own request.
      if (error instanceof Unreadable) this.#known.set(origin, { rules, until: this.#realNow() + failureKeptFor, hasFailed: true });
      else this.#known.delete(origin);
      throw error;
    }
  }

  async #read(origin: string): Promise<Rules> {
    let url = new URL('/robots.txt', origin);
    for (let hop = 0; hop <= 5; hop++) {
      const { status, headers, body, isCut } = await this.#client.get(url, { maxBytes: bytesRead, beyond: 'cut' });
      if (status >= 300 && status < 400 && headers.location !== undefined) {
        const next = URL.parse(headers.location, url.href);
        if (!next || !/^https?:$/.test(next.protocol)) return everything;
        url = next;
        continue;
      }
      if (status >= 500 || status === 429)
        throw new Unreadable(`The server does not say which pages may be read: robots.txt answered ${status}. Try again later`);
      return status >= 400 ? everything : parseRules(origin, (isCut ? wholeLines(body) : body).toString('utf8'));
    }
    return everything;
  }
}

/** The lines of a cut file without the last one, of which a part may be missing: `/shop` may be the start of `/shopping`. */
function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, Math.max(bytes.lastIndexOf('\n'), bytes.lastIndexOf('\r')) + 1);
}

// The package is CommonJS, which its types do not reflect.
const robotsParser = robotsModule as unknown as (url: string, text: string) => Robot;

function parseRules(origin: string, text: string): Rules {
  const lines = relevantLines(text.replace(/^\uFEFF/, ''));
  const robots = robotsParser(`${origin}/robots.txt`, lines.join('\n'));
  const rules = lines.flatMap((line) => /^(?:dis)?allow:(.*\*.*)/i.exec(line)?.[1] ?? []);
  const wildcardsLength = sum(rules.map((rule) => rule.length));
  return {
    allows: (url) =>
      wildcardsLength * url.length <= wildcardComparisonsMax && (robots.isAllowed(withoutNeedlessEscapes(url), crawlerName) ?? true),
    delay: Math.min((robots.getCrawlDelay(crawlerName) ?? 0) * 1000 || 0, longestDelay),
    sitemaps: robots.getSitemaps(),
  };
}

/** Removes unnecessary escapes from an address or a rule, so that `/%61` and `/a` are the same (RFC 9309, 2.2.2). */
function withoutNeedlessEscapes(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escape;
  });
}

/**
 * The lines that apply to the crawler: the groups for its name and for all crawlers, and the sitemaps. The library stores each
 * rule once for each name in its group, so the names of other crawlers are left out.
 */
function relevantLines(text: string): string[] {
  const lines: string[] = [];
  let names: string[] = [];
  let isNaming = false;
  let rules = 0;
  for (const line of text.split(/\r\n?|\n/)) {
    const [, field = '', value = ''] = /^\s*([a-z-]{1,30})\s*:([^#]*)/i.exec(line.slice(0, ruleLength)) ?? [];
    const name = field.toLowerCase();
    if (name === 'user-agent') {
      if (!isNaming) names = [];
      isNaming = true;
      const agent = value.trim().toLowerCase();
      if (agent === '*' || agent.split('/')[0] === crawlerName) names.push(agent === '*' ? agent : crawlerName);
      if (names.length > 0) continue;
    } else if (name === 'sitemap' && rules++ < rulesMax) lines.push(`Sitemap:${value}`);
    else if (/^(dis)?allow$|^crawl-delay$/.test(name)) {
      if (isNaming && names.length > 0) for (const each of new Set(names)) lines.push(`User-agent: ${each}`);
      isNaming = false;
      const isPlain = value.split('*').length - 1 <= ruleWildcards;
      if (names.length > 0 && isPlain && rules++ < rulesMax) lines.push(`${field}:${withoutNeedlessEscapes(value)}`);
    }
  }
  return lines;
}
