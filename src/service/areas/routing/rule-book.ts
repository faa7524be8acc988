import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { byPrecedence, commentChannelOf, mayHaveKeyword, type Rule, type Situation } from '../../../contract/areas/routing/decide.ts';
import {
  Comment,
  commentKeyword,
  type CommentKeyword,
  keywordForm,
  keywordTexts,
  nearMiss,
} from '../../../contract/areas/routing/matching.ts';
import { allowedEdits, isSimilar } from '../../../contract/text/similarity.ts';

/** A text with what tells at a glance that it is not similar to another one. */
interface Form {
  readonly text: string;
  /** In characters. */
  readonly length: number;
  /** A bit for each letter that occurs. Letters share the 32 bits. */
  readonly letters: number;
}

/** An enabled rule, with its keywords in the forms in which they are compared. */
export interface CompiledRule {
  readonly rule: Rule;
  /** Of a keyword rule. */
  readonly forms: readonly Form[];
  /** Of a comment rule. */
  readonly comments: readonly CommentKeyword[];
  /** The characters that are kept in memory for it. */
  readonly size: number;
}

/** The keyword rules that cover a channel, in the order in which they decide. */
interface KeywordRules {
  readonly rules: readonly CompiledRule[];
  /** The place of the first rule with a keyword, by its text. */
  readonly places: ReadonlyMap<string, number>;
  /** The keywords that a message only nearly has to be, by their length. */
  readonly fuzzy: ReadonlyMap<number, readonly FuzzyKeyword[]>;
}

interface FuzzyKeyword {
  readonly rule: Rule;
  /** Of the rule among the others. */
  readonly place: number;
  readonly form: Form;
}

/** The keywords between two pauses. To look at one takes 0.2 µs, to compare a nearly similar one up to 50, and one in a comment up to 4. */
const seenAtOnce = 10_000;
const similarAtOnce = 100;
const commentedAtOnce = 1_000;

/** The enabled rules of an account, in the forms in which messages are compared with them. */
export class RuleBook {
  /** Tells this state of the rules from earlier and later ones. */
  readonly stamp: string;
  /** By their ids. */
  readonly rules: ReadonlyMap<string, CompiledRule>;
  /** The characters that are kept in memory. */
  readonly size: number;
  readonly #ordered: readonly CompiledRule[];
  readonly #keywordRules = new Map<ChannelName, KeywordRules>();

  constructor(stamp: string, rules: readonly CompiledRule[]) {
    this.stamp = stamp;
    this.rules = new Map(rules.map((compiled) => [compiled.rule.id, compiled]));
    this.size = rules.reduce((sum, { size }) => sum + size, 0);
    this.#ordered = rules.toSorted((a, b) => byPrecedence(a.rule, b.rule));
  }

  /** Whether an enabled keyword rule covers a channel. */
  hasKeywordRule(channel: ChannelName): boolean {
    return this.#ordered.some(({ rule: { type, channels } }) => type === 'keyword' && channels.includes(channel));
  }

  /** The enabled defaults of a channel. */
  defaultsOf(channel: ChannelName): Rule[] {
    return this.#ordered.flatMap(({ rule }) => (rule.type === 'channel_default' && rule.channels.includes(channel) ? [rule] : []));
  }

  /**
   * Finds the keyword, comment or follower rules that can decide, which are one or two. Pauses by yielding, a few milliseconds apart.
   * @param hasWritten whether the contact ever wrote before
   */
  *candidates(known: Pick<Situation, 'arrival' | 'channel' | 'hasWritten'>): Generator<undefined, readonly Rule[]> {
    const { arrival, channel } = known;
    if (arrival.kind === 'follow') return this.#followerRule();
    const keyword = mayHaveKeyword(known) ? yield* this.#keywordRule(arrival.text, channel) : [];
    const comment = arrival.kind === 'comment' ? yield* this.#commentRule(arrival, channel) : [];
    return [...keyword, ...comment];
  }

  /** The rule with a keyword that the text is, or else nearly is: of several, the one that was updated last. */
  *#keywordRule(text: string, channel: ChannelName): Generator<undefined, Rule[]> {
    const texts = keywordTexts(text).map(formOf);
    const { rules, places, fuzzy } = this.#keywordRulesOn(channel);
    const exact = rules[Math.min(...texts.map((each) => places.get(each.text) ?? Infinity))];
    if (exact) return [exact.rule];
    const near = yield* possiblySimilar(texts, fuzzy);
    for (const [judged, { text, keyword }] of near.entries()) {
      if ((judged + 1) % similarAtOnce === 0) yield;
      if (isSimilar(text, keyword.form.text, nearMiss)) return [keyword.rule];
    }
    return [];
  }

  #keywordRulesOn(channel: ChannelName): KeywordRules {
    const known = this.#keywordRules.get(channel);
    if (known) return known;
    const rules = this.#ordered.filter(({ rule }) => rule.type === 'keyword' && rule.channels.includes(channel));
    const places = new Map<string, number>();
    for (const [place, { forms }] of rules.entries()) for (const { text } of forms) if (!places.has(text)) places.set(text, place);
    const fuzzy = Map.groupBy(
      rules.flatMap(({ rule, forms }, place) =>
        rule.match_config.fuzzy_match === false ? [] : forms.map((form): FuzzyKeyword => ({ rule, place, form })),
      ),
      ({ form }) => form.length,
    );
    const found = { rules, places, fuzzy };
    this.#keywordRules.set(channel, found);
    return found;
  }

  *#commentRule({ text, postId }: { text: string; postId: string }, channel: ChannelName): Generator<undefined, Rule[]> {
    const comment = new Comment(text);
    let judged = 0;
    for (const { rule, comments } of this.#ordered) {
      const { post_ids: posts = [] } = rule.match_config;
      if (commentChannelOf(rule.type) !== channel || (posts.length > 0 && !posts.includes(postId))) continue;
      judged += comments.length;
      if (judged >= commentedAtOnce) {
        judged = 0;
        yield;
      }
      if (comments.length === 0 || comments.some((keyword) => comment.has(keyword))) return [rule];
    }
    return [];
  }

  #followerRule(): Rule[] {
    const found = this.#ordered.find(({ rule }) => rule.type === 'photo_social_follower');
    return found ? [found.rule] : [];
  }
}

/** Brings the keywords of a rule into the forms in which they are compared. @param rule an enabled rule */
export function compileRule(rule: Rule): CompiledRule {
  const { keywords = [], post_ids: posts = [] } = rule.match_config;
  const forms = rule.type === 'keyword' ? [...new Set(keywords.map(keywordForm))].map(formOf) : [];
  const comments = commentChannelOf(rule.type) ? keywords.map(commentKeyword) : [];
  const kept = [...posts, ...keywords, ...forms.map(({ text }) => text), ...comments.flatMap(({ form, words }) => [form, words])];
  return { rule, forms, comments, size: kept.reduce((sum, text) => sum + text.length, 0) };
}

function formOf(text: string): Form {
  let [length, letters] = [0, 0];
  for (const character of text) {
    length++;
    letters |= 1 << ((character.codePointAt(0) ?? 0) % 32);
  }
  return { text, length, letters };
}

/**
 * The keywords to which texts can be similar, in the order in which their rules decide. An edit changes the length by one at most, and
 * which letters occur by two.
 * @param keywords by their length
 */
function* possiblySimilar(
  texts: readonly Form[],
  keywords: KeywordRules['fuzzy'],
): Generator<undefined, { text: string; keyword: FuzzyKeyword }[]> {
  const near: { text: string; keyword: FuzzyKeyword }[] = [];
  let seen = 0;
  for (const { text, length, letters } of texts)
    for (const [otherLength, some] of keywords) {
      const most = allowedEdits(Math.max(length, otherLength), nearMiss);
      if (Math.abs(length - otherLength) > most) continue;
      for (const keyword of some) {
        if (++seen % seenAtOnce === 0) yield;
        if (bitsOf(letters ^ keyword.form.letters) <= 2 * most) near.push({ text, keyword });
      }
    }
  return near.sort((one, other) => one.keyword.place - other.keyword.place);
}

/** The number of bits that are set. */
function bitsOf(word: number): number {
  let count = 0;
  for (let left = word; left !== 0; left &= left - 1) count++;
  return count;
}
