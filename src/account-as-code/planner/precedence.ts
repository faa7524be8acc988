import { keywordForm } from '../../contract/areas/routing/matching.ts';
import type { LiveRecord, Row } from '../kind.ts';
import type { Live } from '../live.ts';
import type { Fields } from '../values.ts';

/** Whether one message or comment can match two rules: those of one kind that share a channel and a keyword or a post. */
export function overlap(one: Fields, other: Fields): boolean {
  if (one.type !== other.type || one.enabled === false || other.enabled === false) return false;
  if (!meet(one.channels, other.channels, (text) => text)) return false;
  if (one.type === 'photo_social_follower') return true;
  return meet(one.keywords, other.keywords, keywordForm) && meet(one.post_ids, other.post_ids, (text) => text);
}

/** Whether two lists have something in common. An empty one means all. */
function meet(one: unknown, other: unknown, form: (text: string) => string): boolean {
  const [left, right] = [one, other].map((list) => (Array.isArray(list) ? list.map((item) => form(String(item))) : []));
  if (!left || !right || left.length === 0 || right.length === 0) return true;
  return left.some((item) => right.includes(item));
}

/** A number that every update of a rule makes larger than those of all others. */
function revisionOf({ revision }: Row): number {
  return revision as number;
}

/** Orders live rules by their precedence: the one that was updated last comes first. */
export function byPrecedence(one: Row, other: Row): number {
  return revisionOf(other) - revisionOf(one);
}

/** The live rules, the one that wins first. */
export function rulesByPrecedence({ records }: Pick<Live, 'records'>): LiveRecord[] {
  return [...(records.get('rules') ?? [])].sort((one, other) => byPrecedence(one.row, other.row));
}

/** A rule in the wanted order. */
export interface OrderedRule {
  readonly fields: Fields;
  /** What it is live; undefined for a new one. */
  readonly row: Row | undefined;
  /** Whether it is written anyway. */
  readonly isWritten: boolean;
}

/**
 * The fewest rules that must be updated too, so that of rules that overlap the earlier one was updated last (rule account-as-code.10). Writes are made
 * in the opposite order of the list.
 * @param rules in the wanted order, the first one winning
 * @param matters whether the order of two rules matters
 * @returns their indexes in the list
 */
export function neededTouches(rules: readonly OrderedRule[], matters = overlap): number[] {
  const written = new Set(rules.flatMap(({ isWritten }, index) => (isWritten ? [index] : [])));
  const touched: number[] = [];
  // From the end, because what is written there makes earlier ones follow.
  for (let first = rules.length - 1; first >= 0; first--) {
    const rule = rules[first];
    if (!rule || written.has(first)) continue;
    const isBeaten = rules.some(
      (other, index) =>
        index > first &&
        (written.has(index) || !(rule.row && other.row && byPrecedence(rule.row, other.row) < 0)) &&
        matters(rule.fields, other.fields),
    );
    if (!isBeaten) continue;
    written.add(first);
    touched.push(first);
  }
  return touched.sort((one, other) => one - other);
}

/** Says why rules are updated without a change. @param purpose `they have their order again` */
export function touchNote(touches: number, purpose: string): string {
  const rules = touches === 1 ? 'One rule is' : `${touches} rules are`;
  return `${rules} updated without a change, so that ${purpose}.`;
}
