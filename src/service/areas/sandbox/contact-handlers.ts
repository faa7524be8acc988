import type { Endpoint } from '../../../contract/endpoint.ts';
import { readNow } from '../../clock/state.ts';
import type { AreaHandlers, SandboxContext, Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { type Journal, withJournal } from '../activity/journal.ts';
import { dropPairing, expirePairing, pairedNumber, scanPairing } from '../channels/pairing.ts';
import { readAddress, readNumberInPath } from '../contacts/address.ts';
import { type Answered, askModel } from '../inbound/asking.ts';
import { applyReceipt } from '../inbound/receipts.ts';
import { type Incoming, matchRulesFor, receive, type Received } from '../inbound/receive.ts';
import { none, respond, respondLater, type Response } from '../inbound/respond.ts';
import { messageRecord } from '../messages/records.ts';
import type { Message } from '../messages/table.ts';
import { replyAsTeam } from '../messages/team-reply.ts';
import { decisionRecord } from '../routing/decision-record.ts';
import { changeAccount, requireAccount } from './accounts.ts';

/** Runs work on an account in a transaction, and writes its journal. */
async function onAccount<Result>(
  service: Service,
  id: string,
  now: number,
  work: (db: Db, journal: Journal) => Promise<Result>,
): Promise<Result> {
  return await changeAccount(service, id, (db, account) => withJournal(db, account, now, (journal) => work(db, journal)));
}

type PairingContext = Pick<SandboxContext<Endpoint>, 'service' | 'now'> & { params: { id: string; phone: string } };

async function changePairing({ service, params, now }: PairingContext, change: typeof scanPairing) {
  const phone = await readNumberInPath(params.phone);
  return await changeAccount(service, params.id, async (db, { id }) => {
    const number = await pairedNumber(db, id, phone);
    return { phone_number: number, status: await change(db, id, number, now) };
  });
}

type ContactEndpoint =
  `sandbox.${'inbound' | 'comments' | 'followers' | 'receipts' | 'teamReplies' | `pairings.${'scan' | 'expire' | 'drop'}`}`;

/**
 * Receives an action of a contact and replies to it. A model is called between two transactions. Meanwhile a job that belongs
 * to this process is in the queue: if the process dies, another one replies.
 */
async function receiveAndRespond(service: Service, accountId: string, now: number, incoming: Incoming) {
  const { ruleBooks, replyOrder } = service;
  const matched = await matchRulesFor(service, ruleBooks, accountId, incoming);
  const { received, response, job } = await onAccount(service, accountId, now, async (db, journal) => {
    const arrived = await receive(db, journal, incoming, ruleBooks, matched);
    const outcome = await respond(db, journal, arrived, service);
    if (!('ask' in outcome)) return { received: arrived, response: outcome, job: null };
    const job = await service.jobs.begin(db, { kind: 'comment_reply', accountId, payload: outcome.later, dueAt: now });
    return { received: arrived, response: outcome, job };
  });
  if (job === null) return { received, response };
  const send = async (answered: Answered) => {
    const later = await service.store.read((db) => readNow(db, service.realNow()));
    return await onAccount(service, accountId, later, async (db, journal) =>
      (await service.jobs.finish(db, job)) ? await respondLater(db, journal, response.later, service, answered) : none,
    );
  };
  const answer = () => replyOrder.send(received.contact.id, askModel(service, response.ask), send);
  return { received, response: await service.jobs.perform(job, answer) };
}

/** Handlers that simulate people: contacts who write, comment and follow, team members, and phones that scan pairing codes. */
export const contactHandlers: Pick<AreaHandlers<'sandbox'>, ContactEndpoint> = {
  'sandbox.inbound': async ({ service, params, body, now }) => {
    const { channel, text, reply_to_message_id: replyTo } = body;
    const from = await readAddress({ channel, phone_number: body.from, identity: body.from }, 'from');
    const to = body.to === undefined ? undefined : await readAddress({ channel, phone_number: body.to, identity: body.to }, 'to');
    const person = { firstName: body.first_name, lastName: body.last_name };
    const incoming = { channel, from, to, text, person, replyTo };
    const { received, response } = await receiveAndRespond(service, params.id, now, incoming);
    return { ...messageIds(received), ...answerOf(received, response) };
  },

  'sandbox.comments': async ({ service, params, body, now }) => {
    const { channel, text, post_id: postId, from: identity, first_name: firstName } = body;
    const incoming = { channel, from: { identity }, text, postId, person: { firstName } };
    const { received, response } = await receiveAndRespond(service, params.id, now, incoming);
    return { ...messageIds(received), ...answerOf(received, response), public_reply: response.publicReply };
  },

  'sandbox.followers': async ({ service, params, body, now }) => {
    const { from: identity, first_name: firstName } = body;
    const incoming = { channel: 'photo_social_private', from: { identity }, text: null, person: { firstName } } as const;
    const { received, response } = await receiveAndRespond(service, params.id, now, incoming);
    const { contact } = received;
    const sessionId = response.reply?.message.session_id ?? null;
    return { contact_id: contact.id, message_id: null, session_id: sessionId, ...answerOf(received, response) };
  },

  'sandbox.receipts': async ({ service, params, body, now }) => {
    const { mediaLinks: links } = service;
    const message = await onAccount(service, params.id, now, (db, journal) =>
      applyReceipt(db, journal, links, body.message_id, body.status),
    );
    return { message: messageRecord(message, links, now) };
  },

  'sandbox.teamReplies': async ({ service, params, body, now }) => {
    const message = await onAccount(service, params.id, now, (db, journal) => replyAsTeam(db, journal, body.contact_id, body.text));
    return { message_id: message.id, contact_id: message.contact_id, channel: message.channel };
  },

  'sandbox.pairings.scan': (context) => changePairing(context, scanPairing),
  'sandbox.pairings.expire': (context) => changePairing(context, expirePairing),
  'sandbox.pairings.drop': (context) =>
    changePairing(context, async (db, accountId, number, now) =>
      withJournal(db, await requireAccount(db, accountId), now, (journal) => dropPairing(db, journal, number)),
    ),
};

/** The ids of a message or comment that was received. Not for new followers, who have no message. */
function messageIds({ contact, message }: Received) {
  const { id, session_id } = message as Message;
  return { contact_id: contact.id, message_id: id, session_id };
}

/** The decision and the reply, as answers show them. */
function answerOf({ decision }: Received, { reply, calls }: Response) {
  const shown = reply && { message_id: reply.message.id, body: reply.message.body, source: reply.source };
  return { decision: decisionRecord(decision), reply: shown, tool_calls: [...calls] };
}
