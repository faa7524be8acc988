import type { ChannelName } from '../channels/names.ts';
import { Comment, findKeyword, findNearKeyword, keywordTexts, matchComment } from './matching.ts';

/** The steps of the routing order (rule routing.20). `none`: nobody answers. */
export const routingSteps = ['takeover', 'existing_agent', 'broadcast_reply', 'rule', 'channel_default', 'single_agent', 'none'] as const;

export type RoutingStep = (typeof routingSteps)[number];

export const entryPointTypes = [
  'channel_default',
  'keyword',
  'photo_social_comment',
  'page_social_comment',
  'photo_social_follower',
] as const;

export type EntryPointType = (typeof entryPointTypes)[number];

/** The channels that have posts with comments. */
export const commentChannels = ['photo_social', 'page_social'] as const;

/** The channel of the comments that rules of a type apply to; undefined for types that are not about comments. */
export function commentChannelOf(type: EntryPointType): (typeof commentChannels)[number] | undefined {
  return commentChannels.find((channel) => type === `${channel}_comment`);
}

/** The settings of all types of entry points. Each type uses some of them. */
export interface MatchConfig {
  readonly phone_numbers?: readonly string[] | undefined;
  readonly keywords?: readonly string[] | undefined;
  readonly fuzzy_match?: boolean | undefined;
  readonly post_ids?: readonly string[] | undefined;
}

/** The part of an entry point that the decision depends on. */
export interface Rule {
  readonly id: string;
  readonly type: EntryPointType;
  readonly channels: readonly ChannelName[];
  /** Empty when nobody answers. */
  readonly agent_id: string;
  readonly enabled: boolean;
  readonly match_config: MatchConfig;
  /** Revisions order updates: the rule with the larger number was updated later. */
  readonly revision: number;
}

/** The action of a contact: a message, a comment or a new follow. */
export type Arrival =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'comment'; readonly text: string; readonly postId: string }
  /** `isConnected`: whether a personal account is connected, which new followers need. */
  | { readonly kind: 'follow'; readonly isConnected: boolean };

/**
 * Everything the decision depends on. A value that the caller cannot know is `unknown`; steps that depend on it then do not
 * decide.
 */
export interface Situation {
  readonly arrival: Arrival;
  readonly channel: ChannelName;
  /** The account's own number or identity that the contact wrote to; empty when unknown. */
  readonly ownIdentity: string;
  /** Whether the contact is paused, or a person took the conversation over. */
  readonly takeover: 'paused' | 'taken_over' | 'none' | 'unknown';
  /** The agent assigned to the contact. */
  readonly agentId: string | null;
  /** The broadcast that the contact replies to; null when the message is not a reply to a broadcast. */
  readonly broadcast: { readonly id: string; readonly agent_id: string | null } | null | 'unknown';
  /** Whether the contact ever wrote before. */
  readonly hasWritten: boolean;
  /** The agent of the chat widget that the contact writes to. */
  readonly widgetAgentId?: string | null | undefined;
  /** All rules that can match. May include others. */
  readonly rules: readonly Rule[];
  /** Whether an enabled keyword rule covers the channel. */
  readonly hasKeywordRule: boolean;
  /** The active agents of the account. The first two are enough. */
  readonly activeAgents: readonly string[];
}

/** A step of the routing order, whether it decided (null when that is unknown), and the reason. */
export interface TriedStep {
  readonly step: RoutingStep;
  readonly decided: boolean | null;
  readonly reason: string;
}

/** Who answers, and how that was decided. */
export interface Decision {
  readonly step: RoutingStep;
  /** Null when nobody answers. */
  readonly agent_id: string | null;
  readonly entry_point_id: string | null;
  readonly reason: string;
  /** The steps up to the one that decided. */
  readonly steps: readonly TriedStep[];
}

/** The outcome of a step. If `agent` is undefined, the step did not decide. Null means that nobody answers. */
interface Outcome {
  readonly agent?: string | null;
  readonly rule?: Rule;
  readonly isUnknown?: boolean;
  readonly reason: string;
}

/** The channels to which keyword rules do not apply (rule routing.28). */
const withoutKeywords: ReadonlySet<ChannelName> = new Set(['sms', 'device_messenger']);

/** Whether keyword rules apply to a channel. */
export function hasKeywords(channel: ChannelName): boolean {
  return !withoutKeywords.has(channel);
}

/** Whether rules of a type decide about what arrives on a channel that they cover. */
export function appliesOn(type: EntryPointType, channel: ChannelName): boolean {
  switch (type) {
    case 'channel_default':
      return true;
    case 'keyword':
      return hasKeywords(channel);
    case 'photo_social_comment':
    case 'page_social_comment':
      return commentChannelOf(type) === channel;
    case 'photo_social_follower':
      return channel === 'photo_social_private';
  }
}

/** The steps in their order, for each kind of arrival. Defaults are for messages only (rule routing.36). */
const order: Record<Arrival['kind'], readonly (readonly [RoutingStep, (situation: Situation) => Outcome])[]> = {
  message: [
    ['takeover', takeover],
    ['existing_agent', existingAgent],
    ['broadcast_reply', broadcastReply],
    ['rule', narrowRule],
    ['channel_default', channelDefault],
    ['single_agent', singleAgent],
  ],
  comment: [
    ['takeover', takeover],
    ['existing_agent', existingAgent],
    ['rule', narrowRule],
  ],
  follow: [
    ['takeover', takeover],
    ['existing_agent', existingAgent],
    ['rule', narrowRule],
  ],
};

/** Decides who answers: the first step of the routing order that decides. */
export function decide(situation: Situation): Decision {
  const steps: TriedStep[] = [];
  for (const [step, judge] of order[situation.arrival.kind]) {
    const { agent, rule, isUnknown = false, reason } = judge(situation);
    steps.push({ step, decided: isUnknown ? null : agent !== undefined, reason });
    if (agent !== undefined) return { step, agent_id: agent, entry_point_id: rule?.id ?? null, reason, steps };
  }
  const reason = 'Nothing else applies, so nobody answers';
  steps.push({ step: 'none', decided: true, reason });
  return { step: 'none', agent_id: null, entry_point_id: null, reason, steps };
}

/** Whether an enabled keyword rule covers a channel. */
export function hasKeywordRule(rules: readonly Rule[], channel: ChannelName): boolean {
  return rules.some(({ type, enabled, channels }) => type === 'keyword' && enabled && channels.includes(channel));
}

function takeover({ takeover: state }: Situation): Outcome {
  switch (state) {
    case 'paused':
      return { agent: null, reason: 'The contact is paused' };
    case 'taken_over':
      return { agent: null, reason: 'A person took the conversation over' };
    case 'none':
      return { reason: 'Nobody took the conversation over' };
    case 'unknown':
      return { isUnknown: true, reason: 'Unknown: the interface does not show whether a person took the conversation over' };
  }
}

function existingAgent({ agentId }: Situation): Outcome {
  if (agentId === null) return { reason: 'The contact has no agent yet' };
  return { agent: agentId, reason: `The contact has the agent ${agentId} already` };
}

function broadcastReply({ broadcast }: Situation): Outcome {
  if (broadcast === 'unknown')
    return { isUnknown: true, reason: 'Unknown: the interface does not show which broadcast a contact replies to' };
  if (broadcast === null) return { reason: 'The message is not a reply to a broadcast' };
  const { id, agent_id: agentId } = broadcast;
  const answers = agentId === null ? 'which has no agent' : `which has the agent ${agentId}`;
  return { agent: agentId, reason: `The message is a reply to the broadcast ${id}, ${answers}` };
}

/**
 * Sorts rules in the order in which they are tried: keyword rules before comment rules, and comment rules before follower rules.
 * Within a kind, the rule that was updated last comes first.
 */
export function byPrecedence(a: Pick<Rule, 'type' | 'revision'>, b: Pick<Rule, 'type' | 'revision'>): number {
  return entryPointTypes.indexOf(a.type) - entryPointTypes.indexOf(b.type) || b.revision - a.revision;
}

function narrowRule(situation: Situation): Outcome {
  const { arrival, channel, rules } = situation;
  const enabled = rules.filter((rule) => rule.enabled).sort(byPrecedence);
  const matched = matchedKeyword(situation, enabled) ?? matchedComment(situation, enabled) ?? matchedFollower(situation, enabled);
  if (matched) return { agent: matched.rule.agent_id || null, ...matched };
  switch (arrival.kind) {
    case 'message':
      return { reason: whyNoKeyword(situation) };
    case 'comment':
      return { reason: `No rule for comments on ${channel} matches the comment` };
    case 'follow':
      return {
        reason: arrival.isConnected ? 'There is no enabled rule for new followers' : 'No photo_social_private account is connected',
      };
  }
}

interface Matched {
  readonly rule: Rule;
  readonly reason: string;
}

/** Whether keyword rules apply to an arrival: to the first text of a contact, on channels that have keywords. */
export function mayHaveKeyword({ arrival, channel, hasWritten }: Pick<Situation, 'arrival' | 'channel' | 'hasWritten'>): boolean {
  return arrival.kind !== 'follow' && !hasWritten && hasKeywords(channel);
}

/** A rule with the text as a keyword goes before those with one that it nearly is; else the rule that was updated last (rule routing.29). */
function matchedKeyword(situation: Situation, rules: readonly Rule[]): Matched | undefined {
  const { arrival, channel } = situation;
  if (arrival.kind === 'follow' || !mayHaveKeyword(situation)) return undefined;
  const texts = keywordTexts(arrival.text);
  const covering = rules.filter(({ type, channels }) => type === 'keyword' && channels.includes(channel));
  const matched = (match: string, find: (rule: Rule) => string | undefined) => {
    for (const rule of covering) {
      const keyword = find(rule);
      if (keyword !== undefined)
        return { rule, reason: `The contact's first message ${match} the keyword '${keyword}' of the rule ${rule.id}` };
    }
    return undefined;
  };
  return (
    matched('is', ({ match_config: { keywords = [] } }) => findKeyword(texts, keywords)) ??
    matched('nearly is', ({ match_config: { keywords = [], fuzzy_match: isFuzzy = true } }) =>
      isFuzzy ? findNearKeyword(texts, keywords) : undefined,
    )
  );
}

function whyNoKeyword({ channel, hasWritten, hasKeywordRule: isCovered }: Situation): string {
  if (!hasKeywords(channel)) return `Keyword rules do not apply on ${channel}`;
  if (!isCovered) return `No enabled keyword rule covers ${channel}`;
  return hasWritten
    ? 'The contact wrote before, and keyword rules apply to the first message only'
    : 'The message does not match a keyword of an enabled rule';
}

function matchedComment({ arrival, channel }: Situation, rules: readonly Rule[]): Matched | undefined {
  if (arrival.kind !== 'comment') return undefined;
  const comment = new Comment(arrival.text);
  for (const rule of rules) {
    if (commentChannelOf(rule.type) !== channel) continue;
    const { keywords = [], post_ids: posts = [] } = rule.match_config;
    if (posts.length > 0 && !posts.includes(arrival.postId)) continue;
    if (keywords.length === 0)
      return { rule, reason: `The rule ${rule.id} is for every comment${posts.length > 0 ? ' on this post' : ''}` };
    const keyword = matchComment(comment, keywords);
    if (keyword !== undefined) return { rule, reason: `The comment has the keyword '${keyword}' of the rule ${rule.id}` };
  }
  return undefined;
}

function matchedFollower({ arrival }: Situation, rules: readonly Rule[]): Matched | undefined {
  if (arrival.kind !== 'follow' || !arrival.isConnected) return undefined;
  const rule = rules.find(({ type }) => type === 'photo_social_follower');
  return rule && { rule, reason: `The rule ${rule.id} is for new followers` };
}

/** The agent of a widget and a default for the number that the contact wrote to take precedence over the default of the channel. */
function channelDefault({ channel, ownIdentity, rules, widgetAgentId }: Situation): Outcome {
  if (widgetAgentId) return { agent: widgetAgentId, reason: `The widget has the agent ${widgetAgentId}` };
  const defaults = rules.filter(({ type, enabled, channels }) => type === 'channel_default' && enabled && channels.includes(channel));
  const ofNumber = defaults.find(({ match_config: { phone_numbers: numbers = [] } }) => numbers.includes(ownIdentity));
  const rule = ofNumber ?? defaults.find(({ match_config: { phone_numbers: numbers = [] } }) => numbers.length === 0);
  if (!rule) return { reason: `${channel} has no default that applies` };
  const where = ofNumber ? ownIdentity : channel;
  const who = rule.agent_id === '' ? 'nobody' : `the agent ${rule.agent_id}`;
  return { agent: rule.agent_id || null, rule, reason: `The default of ${where} is ${who}` };
}

/** The fallback: the only active agent answers, unless a keyword rule covers the channel (rule routing.34). */
function singleAgent({ channel, activeAgents: [agent, ...others], hasKeywordRule: isCovered }: Situation): Outcome {
  if (agent === undefined) return { reason: 'The account has no active agent' };
  if (others.length > 0) return { reason: 'The account has more than one active agent, so none of them replies automatically' };
  if (isCovered) return { reason: `A keyword rule covers ${channel}, so the only active agent does not answer everything` };
  return { agent, reason: `${agent} is the only active agent, and ${channel} has no default` };
}
