import { hostOf } from '../../../../contract/areas/kb/address.ts';
import { Unreachable, Unreadable } from '../reading/document.ts';
import type { DocumentReader } from '../reading/reader.ts';
import { type RobotsFile, RobotsRules } from '../sites/robots-rules.ts';
import type { HostLimits } from './host-limits.ts';
import type { PageClient } from './page-client.ts';

/** How much of a robots.txt is read, in bytes: as much as every crawler must read (RFC 9309, 2.5). */
const bytesRead = 500 * 1024;

/** How long the rules of a host are cached, and how long a failure to read them is cached, in real milliseconds. */
const keptFor = 10 * 60_000;
const failureKeptFor = 60_000;

/** The maximum number of hosts whose rules are cached. */
const originsMax = 500;

/** The longest pause between requests that a host can ask for, in milliseconds. */
const longestDelay = 5_000;

/** The rules of a host for the crawler. */
export interface Rules {
  readonly pages: RobotsRules;
  /** The pause between two requests, in milliseconds. */
  readonly delay: number;
  readonly sitemaps: readonly string[];
}

const everything: Rules = { pages: new RobotsRules([]), delay: 0, sitemaps: [] };

/** The rules of hosts for crawlers, according to RFC 9309. */
export class HostRules {
  readonly #client: PageClient;
  readonly #reader: DocumentReader;
  readonly #hosts: HostLimits;
  readonly #realNow: () => number;
  readonly #known = new Map<string, { readonly rules: Promise<Rules>; readonly until: number; readonly hasFailed: boolean }>();

  constructor(client: PageClient, reader: DocumentReader, hosts: HostLimits, realNow: () => number) {
    this.#client = client;
    this.#reader = reader;
    this.#hosts = hosts;
    this.#realNow = realNow;
  }

  /** Reads the rules of an origin anew when they are needed next. A failure to read them stays cached. */
  forget({ origin }: URL): void {
    if (this.#known.get(origin)?.hasFailed === false) this.#known.delete(origin);
  }

  /**
   * The rules for the pages of an origin.
   * @param account the account that reads a page
   * @throws Unreadable when they cannot be read; nothing may then be read from the host
   */
  async rulesFor(account: string, { origin }: URL): Promise<Rules> {
    const now = this.#realNow();
    const known = this.#known.get(origin);
    if (known && known.until > now) return await known.rules;
    for (const [each, { until }] of this.#known) if (until <= now || this.#known.size >= originsMax) this.#known.delete(each);
    const rules = this.#read(account, origin);
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

  async #read(account: string, origin: string): Promise<Rules> {
    let url = new URL('/robots.txt', origin);
    for (let hop = 0; hop <= 5; hop++) {
      const at = url;
      const fetch = () => this.#client.get(at, { maxBytes: bytesRead, beyond: 'cut' });
      const { status, headers, body, isCut } = await this.#hosts.request(hostOf(at), 0, fetch);
      if (status >= 300 && status < 400 && headers.location !== undefined) {
        const next = URL.parse(headers.location, url.href);
        if (!next || !/^https?:$/.test(next.protocol)) return everything;
        url = next;
        continue;
      }
      if (status >= 500 || status === 429)
        throw new Unreachable(`The server does not say which pages may be read: robots.txt answered ${status}. Try again later`);
      if (status >= 400) return everything;
      const bytes = Buffer.concat(body);
      return rulesOf(await this.#reader.read(account, 'robots', [isCut ? wholeLines(bytes) : bytes], {}));
    }
    return everything;
  }
}

function rulesOf({ rules, delay, sitemaps }: RobotsFile): Rules {
  return { pages: new RobotsRules(rules), delay: Math.min(delay * 1000, longestDelay), sitemaps };
}

/** The lines of a cut file without the last one, of which a part may be missing: `/shop` may be the start of `/shopping`. */
function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, Math.max(bytes.lastIndexOf('\n'), bytes.lastIndexOf('\r')) + 1);
}
