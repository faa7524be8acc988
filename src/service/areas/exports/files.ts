import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import { prepared } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { MaintenanceTask } from '../../maintenance/task.ts';
import { type ChatExport, discardedExports } from './table.ts';

const partAt = prepared<{ export: string; number: number }, { content: string }>((db, $) =>
  db.selectFrom('chat_export_parts').select('content').where('export_id', '=', $.export).where('number', '=', $.number),
);

/** Reads a part of a file. @throws Error when it is gone */
export async function readPart(db: Db, id: string, number: number): Promise<string> {
  const [part] = await partAt(db, { export: id, number });
  if (!part) throw new Error('The file of the export was deleted');
  return part.content;
}

/** Reads a file part by part, as fast as its reader takes them. */
export async function* readFile(store: Store, { id, parts }: ChatExport): AsyncGenerator<string> {
  for (let number = 0; number < parts; number++) yield await store.read((db) => readPart(db, id, number));
}

/** Lets maintenance delete the files of exports. */
export async function discard(db: Db, account: string, ids: readonly string[]): Promise<void> {
  const rows = ids.map((id) => ({ export_id: id, account_id: account }));
  await insertMany(db, discardedExports, rows, 'on conflict do nothing');
}

/** The parts that a step deletes. */
const partsAtOnce = 8;

/** Marks the exports whose time is over, and deletes the files that nobody can download any more (rule exports.9). */
export const discardingFiles: MaintenanceTask = {
  isDue: async (db, now) => (await firstDiscarded(db)) !== undefined || (await firstExpired(db, now)) !== undefined,
  step: async (db, now) => {
    const expired = await firstExpired(db, now);
    if (expired) {
      await db.updateTable('chat_exports').set({ status: 'expired', updated_at: now }).where('id', '=', expired.id).execute();
      await discard(db, expired.account_id, [expired.id]);
      return 0;
    }
    const discarded = await firstDiscarded(db);
    if (!discarded) return undefined;
    const { export_id: id } = discarded;
    const some = db.selectFrom('chat_export_parts').select('seq').where('export_id', '=', id).limit(partsAtOnce);
    const { numDeletedRows } = await db.deleteFrom('chat_export_parts').where('seq', 'in', some).executeTakeFirst();
    if (numDeletedRows === 0n) await db.deleteFrom('discarded_exports').where('export_id', '=', id).execute();
    return 0;
  },
};

async function firstDiscarded(db: Db) {
  return await db.selectFrom('discarded_exports').select('export_id').limit(1).executeTakeFirst();
}

async function firstExpired(db: Db, now: number) {
  return await db
    .selectFrom('chat_exports')
    .select(['id', 'account_id'])
    .where('status', '=', 'ready')
    .where('expires_at', '<=', now)
    .limit(1)
    .executeTakeFirst();
}
