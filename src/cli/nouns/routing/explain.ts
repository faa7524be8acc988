import { invalidValueError } from '../../invalid-value.ts';
import type { Client } from '../../../client/client.ts';
import { InterfaceError } from '../../../client/errors.ts';
import { listMessages } from '../../../contract/areas/messages/endpoints.ts';
import { spellingsOf } from '../../../contract/areas/contacts/number-forms.ts';
import { isInternational, withoutSeparators } from '../../../contract/areas/contacts/phone-text.ts';
import { type ChannelName, numberChannels } from '../../../contract/areas/channels/names.ts';
import { type Decision, decide, hasKeywordRule, type Rule, type Situation } from '../../../contract/areas/routing/decide.ts';
import type { Options, Session } from '../../verb/noun.ts';
import type { Result } from '../../output/result.ts';
import { screenOf } from '../../output/screen.ts';
import { findContactAt } from '../../lookups/contacts.ts';
import { readConnected } from '../../routing/connected.ts';
import { type EntryPoint, readAgents, readEntryPoints } from '../../routing/entry-points.ts';
import { readSilences } from '../../routing/silence.ts';
import { nameOf } from '../../routing/words.ts';
import type { Explanation } from './explanation.ts';
import { explanationText } from './explanation-text.ts';

/**
 * Explains who would answer a message. Reads the rules from the API and decides with the routing function of the service, but
 * sends nothing.
 * @throws CliError 2 if `--from` is not a number, or the account has no such number on the channel
 */
export async function explain(session: Session, options: Options): Promise<Result> {
  const client = await session.targets.client();
  const channel = options.channel as ChannelName;
  const address = readAddress(options.from as string, channel);
  const agents = await readAgents(client);
  const [rules, connected, contact] = await Promise.all([
    readEntryPoints(client, agents),
    readConnected(client),
    findContactAt(client, channel, address),
  ]);
  const identities = connected.filter((each) => each.channel === channel).map(({ identity }) => identity);
  // Only a keyword rule asks whether the contact ever wrote. Without one, that is not read and counts as no.
  const isCovered = hasKeywordRule(rules, channel);
  const situation: Situation = {
    arrival: arrivalOf(options),
    channel,
    ownIdentity: chooseIdentity(options.to as string | undefined, channel, identities),
    // Some properties of a contact are not in the API and therefore unknown. A new contact has no such properties.
    takeover: contact === null ? 'none' : contact.paused ? 'paused' : 'unknown',
    agentId: contact?.agent_id ?? null,
    broadcast: contact === null ? null : 'unknown',
    hasWritten: contact !== null && isCovered && (await hasWritten(client, contact)),
    rules,
    hasKeywordRule: isCovered,
    activeAgents: agents.filter(({ active }) => active).map(({ id }) => id),
  };
  const decision = decide(situation);
  const { agent_id: agentId } = decision;
  const answering = agents.filter(({ id }) => id === agentId).map(({ id }) => id);
  const silences = await readSilences(client, answering);
  const explanation: Explanation = {
    ...decision,
    agent: agentId === null ? null : nameOf(agentId, agents),
    silent: silences.get(agentId ?? '')?.reason ?? null,
    contact_id: contact?.id ?? null,
    others: rules
      .filter(
        ({ id, type, enabled, channels }) =>
          id !== decision.entry_point_id && channels.includes(channel) && (enabled || type !== 'channel_default'),
      )
      .map((rule) => ({ entry_point_id: rule.id, reason: whyNot(rule as EntryPoint & Rule, situation, decision) })),
  };
  const text = await explanationText(
    explanation,
    { agents, rules, channel },
    screenOf(session.world.stdout, session.world, session.globals.wide),
  );
  const record = { ...explanation };
  return { kind: 'record', answer: record, record, text };
}

/**
 * Whether a contact ever wrote. The time of the last message is also that of one that was sent to the contact, so the messages
 * are read. If they cannot be read, or were deleted because of their age, the time decides.
 */
async function hasWritten(client: Client, { id, last_message_at: last }: { id: string; last_message_at: string | null }): Promise<boolean> {
  if (last === null) return false;
  const read = async (query: { direction?: 'inbound' }) =>
    (await client.call(listMessages, { params: { contactId: id }, query: { ...query, limit: 1 } })).messages.length > 0;
  try {
    return (await read({ direction: 'inbound' })) || !(await read({}));
  } catch (error) {
    if (error instanceof InterfaceError && [403, 404, 405].includes(error.status)) return true;
    throw error;
  }
}

function arrivalOf({ text, postId }: Options): Situation['arrival'] {
  const said = text as string;
  return postId === undefined ? { kind: 'message', text: said } : { kind: 'comment', text: said, postId: postId as string };
}

/** The number or account that receives the message. By default, the one that was connected first, as in the service. */
function chooseIdentity(wanted: string | undefined, channel: ChannelName, identities: readonly string[]): string {
  if (wanted === undefined) return identities.at(-1) ?? '';
  const own = spellingsOf(wanted).find((each) => identities.includes(each));
  if (own !== undefined) return own;
  throw invalidValueError('--to', wanted, `is not connected on ${channel}`, '`msgctl channels list` lists what is connected.');
}

/** A phone number without spaces and brackets, or an account name. @throws CliError 2 if it is not a number */
function readAddress(from: string, channel: ChannelName): string {
  if (!numberChannels.has(channel)) return from;
  if (!isInternational(from)) throw invalidValueError('--from', from, `must be a phone number in international format on ${channel}`);
  return withoutSeparators(from);
}

/** Why a rule on the channel does not determine the answer. */
function whyNot(rule: EntryPoint & Rule, situation: Situation, { step, entry_point_id: decisive }: Decision): string {
  const { arrival, ownIdentity } = situation;
  if (!rule.enabled) return 'It is retired';
  if (rule.type === 'photo_social_follower' && arrival.kind !== 'follow') return 'It is for new followers';
  if (rule.type.endsWith('_comment') && arrival.kind !== 'comment') return 'It is for comments';
  if (rule.type === 'channel_default' && arrival.kind !== 'message') return 'Defaults are for messages only';
  const [number] = rule.match_config.phone_numbers ?? [];
  if (number !== undefined && number !== ownIdentity) return `It is for contacts who write to ${number}`;
  const alone = decide({ ...situation, takeover: 'none', agentId: null, broadcast: null, rules: [rule] });
  if (alone.entry_point_id !== rule.id) return alone.steps.find((each) => each.step === 'rule')?.reason ?? alone.reason;
  if (alone.step !== step) return `It matches, but the step ${step} comes first`;
  const first = situation.rules.find(({ id }) => id === decisive);
  if (first?.type !== rule.type) return `It matches, but the rule ${decisive} is narrower`;
  return rule.type === 'channel_default'
    ? `The default of ${ownIdentity} comes first`
    : `It also matches, but the rule ${decisive} was updated later`;
}
