import type { Service } from '../../../http/handler.ts';
import type { Db } from '../../../store/database.ts';
import { isDuplicate } from '../../../store/store.ts';
import { findContactsByKey } from '../../contacts/records.ts';
import { contacts } from '../../contacts/table.ts';
import { requireAccount } from '../accounts.ts';
import { readTakenPlaces } from './bookings.ts';
import type { Plan } from './conversations.ts';
import type { HistorySource } from './maker.ts';
import { findOrCreateRecords } from './records.ts';
import { saveStep } from './save-step.ts';
import type { HistorySize } from './step.ts';
import { startSteps, type Steps } from './steps.ts';

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
  const source = await store.write(async (db): Promise<HistorySource> => {
    const account = await requireAccount(db, accountId);
    const records = await findOrCreateRecords(db, account, plan);
    return { account, records, taken: await readTakenPlaces(db, records.eventType), plan, seed };
  }, owner);
  const steps = await startSteps(source, store.engine);
  let written: HistorySize | undefined;
  try {
    for (;;) {
      const { isLast } = steps.latest;
      const write = (places?: 'changed') => {
        const work = (db: Db) => writeStep(db, source, steps, places);
        return scheduler.run(() => store.write(work, { ...owner, isDurable: isLast }));
      };
      // Contacts can have booked the places in the meantime, and another server can be writing a history.
      const size = await write().catch((error: unknown) => (isDuplicate(error) ? write('changed') : Promise.reject(error as Error)));
      written = written ? sumOf(written, size) : size;
      if (isLast) return written;
      await steps.next();
    }
  } finally {
    await steps.close();
  }
}

/**
 * Writes the latest step, within a transaction. Makes it again for as long as its new contacts have addresses that are in use, or
 * contacts of earlier steps were deleted.
 * @param places whether the taken places have changed since the step was made
 * @returns the number of records of each kind
 * @throws ApiError 404 when the account was deleted
 */
async function writeStep(db: Db, source: HistorySource, steps: Steps, places?: 'changed'): Promise<HistorySize> {
  const { account, records, plan } = source;
  await requireAccount(db, account.id);
  if (places) await makeAgain(db, source, steps, [], false);
  for (;;) {
    const { earlierContacts, addressKeys } = steps.latest;
    const existing = await contacts.existing(db, account.id, earlierContacts);
    const deleted = earlierContacts.filter((id) => !existing.has(id));
    const hasUsedAddresses = (await findContactsByKey(db, account.id, addressKeys)).size > 0;
    if (deleted.length === 0 && !hasUsedAddresses) break;
    await makeAgain(db, source, steps, deleted, hasUsedAddresses);
  }
  await saveStep(db, account, records, steps.latest, plan.now);
  return steps.latest.size;
}

async function makeAgain(
  db: Db,
  { records }: HistorySource,
  steps: Steps,
  deleted: readonly string[],
  hasUsedAddresses: boolean,
): Promise<void> {
  await steps.again({ deleted, taken: await readTakenPlaces(db, records.eventType), hasUsedAddresses });
}

function sumOf(one: HistorySize, other: HistorySize): HistorySize {
  const sums = Object.entries(one).map(([kind, count]: [string, number]) => [kind, count + other[kind as keyof HistorySize]]);
  return Object.fromEntries(sums) as HistorySize;
}
