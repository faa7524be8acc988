import type { Endpoint } from '../../../contract/endpoint.ts';
import type { AreaHandlers, SandboxContext, Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { type Journal, withJournal } from '../activity/journal.ts';
import { dropPairing, expirePairing, scanPairing } from '../channels/pairing.ts';
import { readAddress, readNumberInPath } from '../contacts/address.ts';
import { applyReceipt } from '../inbound/receipts.ts';
import { receiveMessage } from '../inbound/receive.ts';
import { messages } from '../messages/table.ts';
import { replyAsTeam } from '../messages/team-reply.ts';
import { changeAccount } from './accounts.ts';
import { ownIdentity } from './own-identity.ts';

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
  const number = await readNumberInPath(params.phone);
  return await changeAccount(service, params.id, async (db, { id }) => {
    return { phone_number: number, status: await change(db, id, number, now) };
  });
}

type ContactEndpoint = `sandbox.${'inbound' | 'receipts' | 'teamReplies' | `pairings.${'scan' | 'expire' | 'drop'}`}`;

/** Simulated people: contacts who write, team members, and phones that scan pairing codes. */
export const contactHandlers: Pick<AreaHandlers<'sandbox'>, ContactEndpoint> = {
  'sandbox.inbound': async ({ service, params, body, now }) => {
    const { channel, text, reply_to_message_id: replyTo } = body;
    const from = await readAddress({ channel, phone_number: body.from, identity: body.from }, 'from');
    const own = body.to === undefined ? undefined : await readAddress({ channel, phone_number: body.to, identity: body.to }, 'to');
    const person = { firstName: body.first_name, lastName: body.last_name };
    const incoming = { channel, from, to: own && ownIdentity(own), text, person, replyTo };
    const { message, decision } = await onAccount(service, params.id, now, (db, journal) => receiveMessage(db, journal, incoming));
    return {
      contact_id: message.contact_id,
      message_id: message.id,
      session_id: message.session_id,
      decision: { step: decision.step, agent_id: decision.agentId, entry_point_id: decision.entryPointId },
      reply: null,
    };
  },

  'sandbox.receipts': async ({ service, params, body, now }) => {
    const message = await onAccount(service, params.id, now, (db, journal) => applyReceipt(db, journal, body.message_id, body.status));
    return { message: messages.show(message) };
  },

  'sandbox.teamReplies': async ({ service, params, body, now }) => {
    const message = await onAccount(service, params.id, now, (db, journal) => replyAsTeam(db, journal, body.contact_id, body.text));
    return { message_id: message.id, contact_id: message.contact_id, channel: message.channel };
  },

  'sandbox.pairings.scan': (context) => changePairing(context, scanPairing),
  'sandbox.pairings.expire': (context) => changePairing(context, expirePairing),
  'sandbox.pairings.drop': (context) => changePairing(context, dropPairing),
};
