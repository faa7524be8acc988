import type { LiveRecord } from '../kind.ts';
import { type Fields, hasFields } from '../values.ts';

/** A rule in the files, matched with a live one. */
export interface MatchedRule {
  /** Undefined for a new rule. */
  readonly live?: LiveRecord | undefined;
  /** The live rules that match equally well, so that the match is ambiguous. */
  readonly tie?: readonly LiveRecord[] | undefined;
}

/**
 * Matches the rules in the files with live rules: first those of equal content, then those of the same type with the most
 * channels and keywords in common (rule account-as-code.9).
 * @param live the live rules, newest first
 */
export function matchRules(wanted: readonly Fields[], live: readonly LiveRecord[]): MatchedRule[] {
  const free = new Set(live);
  const matched: MatchedRule[] = wanted.map((fields) => {
    const equal = free.values().find((rule) => hasFields(rule.fields, fields));
    if (equal) free.delete(equal);
    return { live: equal };
  });
  const open = wanted.flatMap((fields, index) => (matched[index]?.live ? [] : [{ fields, index }]));
  // Matches the best pairs first, so that a rule is not matched with one that resembles another rule more.
  for (;;) {
    const pairs = open.flatMap(({ fields, index }) => [...free].map((rule) => ({ index, rule, shared: sharedOf(fields, rule.fields) })));
    const most = Math.max(0, ...pairs.map(({ shared }) => shared));
    if (most === 0) return matched;
    const best = pairs.filter(({ shared }) => shared === most);
    const [first] = best;
    if (!first) return matched;
    const rivals = best.filter(({ index, rule }) => index === first.index || rule === first.rule);
    const tied = rivals.length > 1 ? new Set(rivals.map(({ index }) => index)) : new Set<number>();
    const rules = [...new Set(rivals.map(({ rule }) => rule))];
    for (const index of tied) matched[index] = { tie: rules };
    if (tied.size === 0) matched[first.index] = { live: first.rule };
    for (const { rule } of rivals) free.delete(rule);
    for (const index of [first.index, ...tied]) {
      const at = open.findIndex((each) => each.index === index);
      if (at !== -1) open.splice(at, 1);
    }
  }
}

/** The number of channels and keywords that two rules of the same type have in common. */
function sharedOf(one: Fields, other: Fields): number {
  if (one.type !== other.type) return 0;
  return common(one.channels, other.channels) + common(one.keywords, other.keywords);
}

function common(one: unknown, other: unknown): number {
  if (!Array.isArray(one) || !Array.isArray(other)) return 0;
  return one.filter((item) => other.includes(item)).length;
}
