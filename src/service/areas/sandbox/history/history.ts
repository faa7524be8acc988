import type { Service } from '../../../http/handler.ts';
import { stepByStep } from '../../../store/step-scheduler.ts';
import { isDuplicate } from '../../../store/store.ts';
import { requireAccount } from '../accounts.ts';
import { Slots } from './bookings.ts';
import { findOrCreateRecords } from './records.ts';
import { type Conversation, conversations, type Plan } from './conversations.ts';
import { Random } from './random.ts';
import { type HistorySize, HistoryWriter } from './writer.ts';

/**
 * The number of messages in a transaction. With larger transactions, each changed page is written less often. Not larger still,
 * because other transactions wait for the whole of one.
 */
const messagesOfStep = 4_000;

/** The default extent of a history. */
export const defaultHistory = { messages: 10_000, days: 92, seed: 1 } as const;

/**
 * Generates a history of an account, step by step, without emitting events. The same seed generates the same history.
 * @returns the number of records of each kind
 */
export async function writeHistory(
  { store, scheduler }: Pick<Service, 'store' | 'scheduler'>,
  accountId: string,
  plan: Plan,
  seed: number,
): Promise<HistorySize> {
  const owner = { accounts: [accountId] };
  const writer = await store.write(async (db) => {
    const account = await requireAccount(db, accountId);
    const records = await findOrCreateRecords(db, account, plan);
    return new HistoryWriter(account, records, await Slots.load(db, records.eventType), plan.now);
  }, owner);
  let step: Conversation[] = [];
  let size = 0;
  const write = async (isLast: boolean) => {
    const part = step;
    [step, size] = [[], 0];
    const attempt = (slots?: 'changed') =>
      scheduler.run(() => store.write((db) => writer.write(db, part, slots), { ...owner, isDurable: isLast }));
    // Contacts can have booked the slots in the meantime, and another server can be writing a history.
    writer.keep(await attempt().catch((error: unknown) => (isDuplicate(error) ? attempt('changed') : Promise.reject(error as Error))));
  };
  const serveOthers = stepByStep();
  for (const conversation of conversations(plan, new Random(seed))) {
    step.push(conversation);
    size += conversation.messages.length;
    if (size >= messagesOfStep) await write(false);
    else await serveOthers();
  }
  await write(true);
  return writer.written;
}
