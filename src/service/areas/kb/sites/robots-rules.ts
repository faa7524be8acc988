import { sum } from '../../../../contract/sum.ts';

/** The crawler's user agent name in robots.txt. */
export const crawlerName = 'msgctl';

/** A rule of a robots.txt. */
export interface RobotsRule {
  /** What a path must start with. `*` stands for any characters, and `$` at the end for the end of the path. */
  readonly pattern: string;
  readonly isAllowed: boolean;
}

/** What a robots.txt says to the crawler. */
export interface RobotsFile {
  readonly rules: readonly RobotsRule[];
  /** The pause between two requests, in seconds. */
  readonly delay: number;
  /** Addresses, which may be relative. */
  readonly sitemaps: readonly string[];
}

/**
 * The maximum length of an address times that of all rules with wildcards, which are tried at every place of the address. A
 * comparison then takes four milliseconds at most. Longer addresses of such a host may not be read.
 */
const wildcardComparisonsMax = 2_000_000;

/** A pattern, divided at its wildcards. */
interface Pattern {
  readonly parts: readonly string[];
  /** Whether the pattern must reach the end of the path. */
  readonly isWhole: boolean;
  readonly isAllowed: boolean;
}

/** Decides which addresses of a host may be read, according to RFC 9309. */
export class RobotsRules {
  readonly rules: readonly RobotsRule[];
  /** In the order of precedence. */
  readonly #patterns: readonly Pattern[];
  readonly #wildcardsLength: number;

  constructor(rules: readonly RobotsRule[]) {
    this.rules = rules;
    const compared = rules.map(({ pattern, isAllowed }) => ({ pattern: comparable(pattern), isAllowed }));
    compared.sort((a, b) => b.pattern.length - a.pattern.length || Number(b.isAllowed) - Number(a.isAllowed));
    this.#patterns = compared.map(({ pattern, isAllowed }) => {
      const isWhole = pattern.endsWith('$');
      return { parts: (isWhole ? pattern.slice(0, -1) : pattern).split('*'), isWhole, isAllowed };
    });
    this.#wildcardsLength = sum(compared.map(({ pattern }) => (pattern.includes('*') ? pattern.length : 0)));
  }

  /** The number of comparisons of characters that `allows` makes at most for the wildcards. */
  comparisons(url: URL): number {
    return this.#wildcardsLength * url.href.length;
  }

  /** Whether an address may be read. The longest rule that matches it decides, of two the one that allows it. */
  allows(url: URL): boolean {
    if (this.comparisons(url) > wildcardComparisonsMax) return false;
    const path = comparable(url.pathname + url.search);
    return this.#patterns.find((pattern) => matches(pattern, path))?.isAllowed ?? true;
  }
}

/** Whether a path starts with the parts of a pattern, in their order. The first place of each is enough: others only leave less. */
function matches({ parts, isWhole }: Pattern, path: string): boolean {
  const [first = ''] = parts;
  if (!path.startsWith(first)) return false;
  let end = first.length;
  const last = parts.length - 1;
  for (let index = 1; index <= last; index++) {
    const part = parts[index] ?? '';
    if (index === last && isWhole) return path.length - part.length >= end && path.endsWith(part);
    const found = path.indexOf(part, end);
    if (found < 0) return false;
    end = found + part.length;
  }
  return !isWhole || end === path.length;
}

/** A path or a pattern with the same characters escaped, so that `/%61` and `/a` are the same (RFC 9309, 2.2.2). */
function comparable(text: string): string {
  const plain = text.replace(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
  });
  // Escapes are escaped too, which is undone.
  return encodeURI(plain.toWellFormed()).replaceAll('%25', '%');
}
