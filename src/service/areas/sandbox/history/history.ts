import type { Service } from '../../../http/handler.ts';
import type { Db } from '../../../store/database.ts';
import { stepByStep } from '../../../flow/steps.ts';
import { indexMessages } from '../../messages/word-index.ts';
import { requireAccount } from '../accounts.ts';
import type { Business } from './businesses.ts';
import { type Conversation, conversations, type HistoryPlan } from './conversations.ts';
import { Random } from './random.ts';
import { findOrCreateRecords } from './records.ts';
import { type HistoryContact, type HistorySize, type Progress, writeStep } from './step.ts';

/** The default extent of a history. */
export const defaultHistory = { messages: 10_000, days: 92, seed: 1 } as const;

/** The number of messages in a step, which is a transaction. Other transactions wait for the whole of one. */
const messagesOfStep = 2_000;

/**
 * Generates the history of a business on an account, step by step, without emitting events. The same seed generates the same history.
 * @returns the number of records of each kind
 * @throws ApiError 404 when the account is deleted meanwhile
 */
export async function writeHistory(
  { store, scheduler }: Pick<Service, 'store' | 'scheduler'>,
  accountId: string,
  business: Business,
  plan: HistoryPlan,
  seed: number,
): Promise<HistorySize> {
  const owner = { accounts: [accountId] };
  const records = await store.write(async (db) => findOrCreateRecords(db, await requireAccount(db, accountId), business, plan), owner);
  const contacts = new Map<number, HistoryContact>();
  let progress: Progress = { contacts, nextAddress: records.firstAddress, left: null };
  let size: HistorySize | undefined;
  const asking = records.isKnown ? { ...business, unknown: null } : business;
  const generated = conversations(asking, plan, new Random(seed));
  for (let isLast = false; !isLast;) {
    const step = await nextStep(generated);
    ({ isLast } = step);
    const write = (db: Db) => writeStep(db, accountId, records, plan.now, step.conversations, progress);
    // A transaction can be repeated, so the progress is updated once the step is stored.
    const written = await scheduler.run(() => store.write(write, { ...owner, isDurable: isLast }));
    await scheduler.run(() => store.write((db) => indexMessages(db, accountId), { ...owner, isDurable: isLast }));
    for (const [number, contact] of written.contacts) contacts.set(number, contact);
    progress = { ...written, contacts };
    size = size ? sumOf(size, written.size) : written.size;
  }
  return size as HistorySize;
}

/** Generates the conversations of the next step, and lets other requests run meanwhile. */
async function nextStep(generated: Iterator<Conversation, void>): Promise<{ conversations: Conversation[]; isLast: boolean }> {
  const serveOthers = stepByStep();
  const found: Conversation[] = [];
  for (let size = 0; size < messagesOfStep;) {
    await serveOthers();
    const { value, done } = generated.next();
    if (done) return { conversations: found, isLast: true };
    found.push(value);
    size += value.messages.length;
  }
  return { conversations: found, isLast: false };
}

/** The sum of two histories. */
export function sumOf(one: HistorySize, other: HistorySize): HistorySize {
  const sums = Object.entries(one).map(([kind, count]: [string, number]) => [kind, count + other[kind as keyof HistorySize]]);
  return Object.fromEntries(sums) as HistorySize;
}
