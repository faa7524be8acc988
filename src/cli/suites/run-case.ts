import type { Client } from '../../client/client.ts';
import { numberChannels } from '../../contract/areas/channels/names.ts';
import { deleteContact, getContact, importContacts } from '../../contract/areas/contacts/endpoints.ts';
import { getCredits } from '../../contract/areas/credits/endpoints.ts';
import { traceMessage } from '../../contract/areas/messages/endpoints.ts';
import { receiveInbound } from '../../contract/areas/sandbox/conversations.ts';
import { getSession } from '../../contract/areas/sessions/endpoints.ts';
import type { Body } from '../../contract/endpoint.ts';
import type { Scratch } from '../account-as-code/scratch.ts';
import { usageError } from '../errors.ts';
import type { FakeTools } from './fake-tools.ts';
import { type Competing, type Flaw, flawsOf, type Observed } from './judge.ts';
import type { TestCase, TestMessage } from './suite.ts';

/** A message of a case, and what came of it. */
export interface Exchange extends TestMessage {
  readonly observed: Observed;
  readonly flaws: readonly Flaw[];
}

/** What came of a case. */
export interface CaseResult {
  readonly tested: TestCase;
  readonly isPassed: boolean;
  readonly exchanges: readonly Exchange[];
  /** How long it took, in milliseconds. */
  readonly duration: number;
}

/** A message of a contact, as the sandbox takes it. */
type Written = Body<typeof receiveInbound>;

/** What running a case needs. */
export interface Stage {
  readonly scratch: Scratch;
  readonly tools: FakeTools;
  /** The names of the agents of the copy, by their ids. */
  readonly agents: ReadonlyMap<string, string>;
}

/** Has the conversation of a case with the copy, as a contact of its own. @param number tells its contact from others */
export async function runCase(stage: Stage, tested: TestCase, number: number): Promise<CaseResult> {
  const started = performance.now();
  const { channel, contact } = tested;
  const { from = fromOf(channel, number), tags, ...names } = contact;
  const writer = { channel, from, ...names };
  if (tags) await tagWriter(stage, writer, tags);
  const exchanges: Exchange[] = [];
  let contactId: string | undefined;
  for (const message of tested.messages) {
    stage.tools.begin({ ...tested.tools, ...message.tools });
    const { contact_id: own, ...observed } = await exchange(stage, { ...writer, text: message.text });
    contactId = own;
    const flaws = flawsOf(message.expect, observed);
    const unexpected = stage.tools.unexpected.splice(0);
    if (unexpected.length > 0) flaws.push({ expected: `a result for ${unexpected.join(', ')} in tools`, got: 'none in this case' });
    exchanges.push({ ...message, observed, flaws });
  }
  // Another case, or the next run of this one, can have a contact with the same number.
  if (contact.from !== undefined && contactId !== undefined) await stage.scratch.client.call(deleteContact, { params: { id: contactId } });
  const isPassed = exchanges.every(({ flaws }) => flaws.length === 0);
  return { tested, isPassed, exchanges, duration: performance.now() - started };
}

/** Gives the contact of a case its tags before it writes. @throws CliError 2 for a number that cannot be a contact's */
async function tagWriter(
  { scratch: { client } }: Stage,
  { channel, from, ...names }: Omit<Written, 'text'>,
  tags: readonly string[],
): Promise<void> {
  const address = numberChannels.has(channel) ? { phone_number: from } : { identity: from };
  const body = { contacts: [{ channel, ...address, ...names, tags }], on_duplicate: 'update' as const };
  const { skipped } = await client.call(importContacts, { body });
  if (skipped[0]) throw usageError(`The contact ${from} of a case cannot have tags: ${skipped[0].reason}`);
}

/** Sends a message, and observes what comes of it. */
async function exchange({ scratch, agents }: Stage, body: Written): Promise<Observed & { readonly contact_id: string }> {
  const { sandbox, client, accountId } = scratch;
  const before = await balance(client);
  const received = await sandbox.call(receiveInbound, { params: { id: accountId }, body });
  const { reply, decision } = received;
  const trace = reply && (await client.call(traceMessage, { params: { id: reply.message_id } })).trace;
  const { contact: now } = await client.call(getContact, { params: { id: received.contact_id } });
  const { chat_session: session } = await client.call(getSession, { params: { id: received.session_id } });
  const agentId = decision.agent_id;
  return {
    contact_id: received.contact_id,
    text: reply?.body ?? null,
    source: reply?.source ?? 'none',
    agent: agentId === null ? null : { id: agentId, name: agents.get(agentId) ?? agentId },
    step: decision.step,
    faqs: distinct(trace?.faqs ?? []),
    calls: received.tool_calls,
    tags: now.tags.map(({ name }) => name),
    handover: session.alerted,
    credits: before - (await balance(client)),
    model: trace?.model ?? null,
  };
}

/** A FAQ of several campaigns is several FAQs in the copy. */
function distinct(faqs: readonly Competing[]): Competing[] {
  const shown = new Map<string, Competing>();
  for (const faq of faqs) {
    const key = JSON.stringify([faq.question, faq.score]);
    if (faq.chosen || !shown.has(key)) shown.set(key, faq);
  }
  return [...shown.values()];
}

async function balance(client: Client): Promise<number> {
  return (await client.call(getCredits, {})).balance;
}

/** A number, or an account name on a channel without numbers, that no other case has. */
function fromOf(channel: TestCase['channel'], number: number): string {
  return numberChannels.has(channel) ? `+1415555${String(number % 10_000).padStart(4, '0')}` : `contact-${number}`;
}
