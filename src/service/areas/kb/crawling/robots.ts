import robotsModule from 'robots-parser';
import { Unreadable } from '../reading/document.ts';
import type { PageClient } from './page-client.ts';

/** The name by which robots.txt can address the crawler. */
export const crawlerName = 'msgctl';

/** How much of a robots.txt is read, in bytes. */
const maxBytes = 512 * 1024;

/** How long the rules of a host are kept, in real milliseconds, and how long it is known that they cannot be read. */
const keptFor = 10 * 60_000;
const failureKeptFor = 60_000;

/** How many hosts' rules are kept. */
const originsMax = 500;

/** How many rules of a host count, and how long and how intricate they may be: each address is compared with each of them. */
const rulesMax = 1_000;
const ruleLength = 500;
const ruleWildcards = 5;

/** The longest pause between two requests that a host can ask for, in milliseconds. */
const longestDelay = 5_000;

/** What a host allows. */
export interface Rules {
  readonly allows: (url: string) => boolean;
  /** The pause between two requests, in milliseconds. */
  readonly delay: number;
  readonly sitemaps: readonly string[];
}

/** What of the package is used here. */
interface Robot {
  isAllowed(url: string, agent: string): boolean | undefined;
  getCrawlDelay(agent: string): number | undefined;
  getSitemaps(): string[];
}

const everything: Rules = { allows: () => true, delay: 0, sitemaps: [] };

/** The rules of hosts for crawlers, by RFC 9309. */
export class Robots {
  readonly #client: PageClient;
  readonly #realNow: () => number;
  readonly #known = new Map<string, { readonly rules: Promise<Rules>; readonly until: number }>();

  constructor(client: PageClient, realNow: () => number) {
    this.#client = client;
    this.#realNow = realNow;
  }

  /** The rules for the pages of an origin. @throws Unreadable while they cannot be read: then nothing of the host may be read */
  async rulesFor({ origin }: URL): Promise<Rules> {
    const now = this.#realNow();
    const known = this.#known.get(origin);
    if (known && known.until > now) return await known.rules;
    for (const [each, { until }] of this.#known) if (until <= now || this.#known.size >= originsMax) this.#known.delete(each);
    const rules = this.#read(origin);
    this.#known.set(origin, { rules, until: now + keptFor });
    try {
      return await rules;
    } catch (error) {
      // All pages of an import wait for one request, and not each for its own.
      if (error instanceof Unreadable) this.#known.set(origin, { rules, until: this.#realNow() + failureKeptFor });
      else this.#known.delete(origin);
      throw error;
    }
  }

  async #read(origin: string): Promise<Rules> {
    let url = new URL('/robots.txt', origin);
    for (let hop = 0; hop <= 5; hop++) {
      const { status, headers, body } = await this.#client.get(url, { maxBytes });
      if (status >= 300 && status < 400 && headers.location !== undefined) {
        const next = URL.parse(headers.location, url.href);
        if (!next || !/^https?:$/.test(next.protocol)) return everything;
        url = next;
        continue;
      }
      if (status >= 500 || status === 429)
        throw new Unreadable(`The server does not say which pages may be read: robots.txt answered ${status}. Try again later`);
      return status >= 400 ? everything : parseRules(origin, body.toString('utf8'));
    }
    return everything;
  }
}

// The package is CommonJS, and its types say otherwise.
const robotsParser = robotsModule as unknown as (url: string, text: string) => Robot;

function parseRules(origin: string, text: string): Rules {
  const robots = robotsParser(`${origin}/robots.txt`, relevantLines(text.replace(/^\uFEFF/, '')));
  return {
    allows: (url) => robots.isAllowed(withoutNeedlessEscapes(url), crawlerName) ?? true,
    delay: Math.min((robots.getCrawlDelay(crawlerName) ?? 0) * 1000 || 0, longestDelay),
    sitemaps: robots.getSitemaps(),
  };
}

/** An address or a rule in which characters that need no escape have none, so that `/%61` and `/a` are one (RFC 9309, 2.2.2). */
function withoutNeedlessEscapes(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escape;
  });
}

/**
 * The lines that concern the crawler: the groups of its name and of everybody, and the sitemaps. The library stores each rule
 * for each name of its group, so the names of others are left out.
 */
function relevantLines(text: string): string {
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
  return lines.join('\n');
}
