import { keywordForm } from '../../contract/areas/routing/matching.ts';
import type { LiveRecord, AnswerRow } from '../kind.ts';
import type { Live } from '../live.ts';
import type { Fields } from '../values.ts';

/**
 * Whether two rules can match the same message or comment: they have the same type, and share a channel and a keyword or post.
 */
export function overlap(one: Fields, other: Fields): boolean {
  if (one.type !== other.type || one.enabled === false || other.enabled === false) return false;
  if (!meet(one.channels, other.channels, (text) => text)) return false;
  if (one.type === 'photo_social_follower') return true;
  return meet(one.keywords, other.keywords, keywordForm) && meet(one.post_ids, other.post_ids, (text) => text);
}

/** Whether two lists have an item in common. An empty list matches everything. */
function meet(one: unknown, other: unknown, form: (text: string) => string): boolean {
  const [left, right] = [one, other].map((list) => (Array.isArray(list) ? list.map((item) => form(String(item))) : []));
  if (!left || !right || left.length === 0 || right.length === 0) return true;
  return left.some((item) => right.includes(item));
}

/** The revision of a rule. Each update of a rule makes its revision the highest of all. */
function revisionOf({ revision }: AnswerRow): number {
  return revision as number;
}

/** Compares live rules by precedence: the rule that was updated last comes first. */
export function byPrecedence(one: AnswerRow, other: AnswerRow): number {
  return revisionOf(other) - revisionOf(one);
}

/** The live rules by precedence, the winning one first. */
export function rulesByPrecedence({ records }: Pick<Live, 'records'>): LiveRecord[] {
  return [...(records.get('rules') ?? [])].sort((one, other) => byPrecedence(one.row, other.row));
}

/** A rule in the wanted order. */
export interface OrderedRule {
  readonly fields: Fields;
  /** The live rule; undefined for a new one. */
  readonly row: AnswerRow | undefined;
  /** Whether the plan writes the rule anyway. */
  readonly isWritten: boolean;
}

/**
 * The minimum set of rules to update without changes, so that of overlapping rules the earlier one is updated last
 * (rule account-as-code.10). Updates are made in reverse order of the list.
 * @param rules in the wanted order, the winning one first
 * @param matters whether the order of two rules is significant
 * @returns the indexes of the rules to update
 */
export function neededTouches(rules: readonly OrderedRule[], matters = overlap): number[] {
  const written = new Set(rules.flatMap(({ isWritten }, index) => (isWritten ? [index] : [])));
  const touched: number[] = [];
  // From the end, because an update there requires updating the earlier rules that overlap with it.
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

/** Explains why rules are updated without a change: of two rules, the one that was updated later wins. */
export function touchNote(touches: number): string {
  return touches === 1
    ? 'One rule is saved again, unchanged, to restore the order of the rules.'
    : `${touches} rules are saved again, unchanged, to restore their order.`;
}
