import type { Address } from '../../../../contract/areas/contacts/address.ts';
import { dayLength } from '../../../../contract/time/days.ts';
import { hourLength } from '../../activity/counts.ts';
import type { Service } from '../../../http/handler.ts';
import type { Db } from '../../../store/database.ts';
import { type Journal, withJournalOfThePast } from '../../activity/journal.ts';
import { builtIn } from '../../answers/built-in.ts';
import { beginBroadcast, sendPart } from '../../broadcasts/sending.ts';
import { broadcasts } from '../../broadcasts/table.ts';
import { readAddress } from '../../contacts/address.ts';
import { findContactAt } from '../../contacts/records.ts';
import { receive } from '../../inbound/receive.ts';
import { respond } from '../../inbound/respond.ts';
import { replyAsTeam } from '../../messages/team-reply.ts';
import { createTask } from '../../tasks/records.ts';
import { requireAccount } from '../accounts.ts';
import { lists } from './names.ts';
import type { HistorySize } from './step.ts';

const minute = 60_000;

/** The contact whom the examples of the documents name. */
const visitor = { phone_number: '+14155550123', firstName: 'Ada', lastName: 'Lovelace' } as const;

/** What the contact asks, the first of which a FAQ answers, and what a person replies in the end. Times are before now. */
const questions = [
  { before: 12 * minute, text: 'When are you open?' },
  { before: 10 * minute, text: 'I would like a refund, the soup was cold' },
];
const reply = { before: 4 * minute, text: 'I am sorry, Ada. The refund is on its way.' };

/** A broadcast on a channel on which its recipients cannot be reached. */
const failing = {
  name: 'Winter sale',
  channel: 'device_messenger',
  body: '20 % off until Sunday.',
  recipients: 12,
  before: 3 * hourLength,
} as const;

/** A broadcast that waits for approval. */
const waiting = { name: 'Winter menu', channel: 'chatapp', body: 'The winter menu starts on Monday.' } as const;

/** The number of messages of the conversation: each question and its answer, and the reply of a person. */
export const messagesOfToday = 2 * questions.length + 1;

/** Whether the conversation can happen: it has not happened yet, and nobody else has the number, or does not want to be written to. */
export async function canConverse({ store }: Pick<Service, 'store'>, accountId: string): Promise<boolean> {
  const address = await readAddress({ phone_number: visitor.phone_number });
  const known = await store.read((db) => findContactAt(db, accountId, 'chatapp', address));
  return !known || [known.first_name, known.last_name, known.do_not_disturb, known.private_mode].every((value) => !value);
}

/**
 * Adds to an account what happened today, as it would happen live, without emitting events: a broadcast that failed and one that waits
 * for approval, tasks, and a conversation that a person took over. What the account has under the same names stays as it is.
 * @param now in epoch milliseconds
 * @param converses whether the conversation happens
 * @returns the number of records of each kind in the conversation
 */
export async function writeToday(service: Service, accountId: string, now: number, converses: boolean): Promise<HistorySize> {
  const address = await readAddress({ phone_number: visitor.phone_number });
  return await service.store.write(
    async (db) => {
      const account = await requireAccount(db, accountId);
      const at = async <Result>(before: number, work: (journal: Journal) => Promise<Result>) =>
        await withJournalOfThePast(db, account, now - before, work);
      if (!(await hasBroadcast(db, accountId, failing.name))) await at(failing.before, (journal) => failBroadcast(db, journal));
      if (!(await hasBroadcast(db, accountId, waiting.name))) await addWaitingBroadcast(db, accountId, now);
      await at(dayLength, (journal) => addTask(db, journal, { title: 'Order ingredients for the winter menu', due_at: now - dayLength }));
      const size = { contacts: 0, sessions: 0, messages: 0, appointments: 0, deliveries: 0, ledger_records: 0, ai_calls: 0 };
      if (!converses) return size;
      const known = await findContactAt(db, accountId, 'chatapp', address);
      for (const { before, text } of questions) {
        const isAnswered = await at(before, (journal) => ask(db, journal, service, address, text));
        size.messages += isAnswered ? 2 : 1;
        size.ledger_records += Number(isAnswered);
        size.ai_calls += Number(isAnswered);
      }
      const contactId = (await findContactAt(db, accountId, 'chatapp', address))?.id ?? '';
      await at(reply.before, (journal) => replyAsTeam(db, journal, contactId, reply.text));
      const task = { title: 'Check that the refund arrived', contact_id: contactId, due_at: now + 2 * dayLength };
      await at(reply.before, (journal) => addTask(db, journal, task));
      const isNew = Number(!known);
      return { ...size, contacts: isNew, sessions: isNew, messages: size.messages + 1, ledger_records: size.ledger_records + 1 };
    },
    { accounts: [accountId] },
  );
}

/** Adds a task, unless the account has one with its title. */
async function addTask(db: Db, journal: Journal, task: Parameters<typeof createTask>[2]): Promise<void> {
  const named = db.selectFrom('tasks').select('id').where('account_id', '=', journal.account.id).where('title', '=', task.title);
  if (!(await named.executeTakeFirst())) await createTask(db, journal, task);
}

async function hasBroadcast(db: Db, accountId: string, name: string): Promise<boolean> {
  const named = db.selectFrom('broadcasts').select('id').where('account_id', '=', accountId).where('name', '=', name);
  return (await named.executeTakeFirst()) !== undefined;
}

/** Sends a broadcast to the newest contacts of another channel. */
async function failBroadcast(db: Db, journal: Journal): Promise<void> {
  const accountId = journal.account.id;
  const { name, channel, body, recipients } = failing;
  const rows = await db
    .selectFrom('contacts')
    .select('id')
    .where('account_id', '=', accountId)
    .where('channel', '=', 'chatapp')
    .orderBy('seq', 'desc')
    .limit(recipients)
    .execute();
  if (rows.length === 0) return;
  const named = { contact_ids: rows.map(({ id }) => id), contact_count: rows.length, total: rows.length };
  const { id } = await broadcasts.create(db, accountId, { name, channel, body, ...named, status: 'Pending Approval' }, journal.now);
  await beginBroadcast(db, journal, await broadcasts.require(db, accountId, id));
  await sendPart(db, journal, await broadcasts.require(db, accountId, id));
}

/** Adds a broadcast to a list of the history. */
async function addWaitingBroadcast(db: Db, accountId: string, now: number): Promise<void> {
  const own = db.selectFrom('lists').select(['id', 'contact_count']).where('account_id', '=', accountId);
  const list = await own.where('name', '=', lists[0].name).executeTakeFirst();
  if (!list) return;
  const fields = { ...waiting, list_ids: [list.id], total: list.contact_count, status: 'Pending Approval' } as const;
  await broadcasts.create(db, accountId, fields, now);
}

/** Receives a message, and answers it as the routing and the FAQs say, without a model. @returns whether an agent answered */
async function ask(db: Db, journal: Journal, service: Service, address: Address, text: string): Promise<boolean> {
  const incoming = { channel: 'chatapp', from: address, text, person: visitor } as const;
  const received = await receive(db, journal, incoming, service.ruleBooks, undefined);
  const response = await respond(db, journal, received, { ...service, writer: builtIn });
  return 'reply' in response && response.reply !== null;
}
