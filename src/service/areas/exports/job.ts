import { createHash, type Hash } from 'node:crypto';
import { counted } from '../../../contract/text/counted.ts';
import { readNow } from '../../clock/state.ts';
import type { Finish, JobDefinition } from '../../jobs/job.ts';
import type { Parts } from '../../parts.ts';
import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import { finishOnAccount } from '../activity/account-job.ts';
import type { Journal } from '../activity/journal.ts';
import { logFailures } from '../notices/log-failures.ts';
import { notify } from '../notices/notify.ts';
import { discard, readPart } from './files.ts';
import { type FilePart, nextPart } from './parts.ts';
import { type ExportLimits, keptFor } from './rules.ts';
import { type ChatExport, chatExports, exportParts } from './table.ts';

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    chat_export: { readonly export: string };
  }
}

declare module '../../parts.ts' {
  interface Parts {
    readonly exportLimits: ExportLimits;
  }
}

/** After a part of a file is stored; and after the last one, before the export is ready. */
export const exportFailpoints = ['export.stored', 'export.complete'] as const;

declare module '../../drills/failpoint.ts' {
  interface FailpointNames {
    export: (typeof exportFailpoints)[number];
  }
}

/** Defines the jobs that make the files of exports, part by part. After a crash, a file is continued (rule exports.6). */
export const chatExport: JobDefinition<'chat_export'> = {
  run: async ({ accountId, payload }, parts) => {
    const account = accountId ?? '';
    const { failpoint, exportLimits, scheduler, store } = parts;
    let row = await begin(parts, account, payload.export);
    const hash = createHash('sha256');
    if (row) await hashStored(parts, row, hash);
    while (row && !row.position.isComplete) {
      const before: ChatExport = row;
      const part = await scheduler.run(() => store.read((db) => nextPart(db, before, exportLimits.partLength)));
      if (before.messages + part.messages > exportLimits.messagesMax) return tooLarge(account, before.id, exportLimits.messagesMax);
      row = await scheduler.run(() => store.write((db) => addPart(db, before, part), { accounts: [account] }));
      hash.update(part.text);
      failpoint('export.stored');
    }
    // It was deleted.
    if (!row) return undefined;
    failpoint('export.complete');
    return ready(account, row.id, hash.digest('hex'));
  },
  giveUp: ({ accountId, payload }) => fail(accountId ?? '', payload.export, 'The service failed to make it'),
};

/** Marks an export as being made. @returns undefined when it was deleted */
async function begin({ store, realNow }: Parts, account: string, id: string): Promise<ChatExport | undefined> {
  return await store.write(
    async (db) => {
      const row = await findRunning(db, account, id);
      if (row?.status !== 'queued') return row;
      return await chatExports.change(db, account, id, { status: 'processing' }, await readNow(db, realNow()));
    },
    { accounts: [account] },
  );
}

async function findRunning(db: Db, account: string, id: string): Promise<ChatExport | undefined> {
  const row = await chatExports.find(db, account, id);
  return row?.status === 'queued' || row?.status === 'processing' ? row : undefined;
}

/** Adds the parts that are stored already to the checksum. */
async function hashStored({ scheduler, store }: Parts, row: ChatExport, hash: Hash): Promise<void> {
  for (let number = 0; number < row.parts; number++)
    hash.update(await scheduler.run(() => store.read((db) => readPart(db, row.id, number))));
}

/** Stores a part, and how far the file is. @returns undefined when the export was deleted @throws Error when another process went on with it */
async function addPart(db: Db, before: ChatExport, { text, position, sessions, messages }: FilePart): Promise<ChatExport | undefined> {
  const row = await findRunning(db, before.account_id, before.id);
  if (!row) return undefined;
  if (JSON.stringify(row.position) !== JSON.stringify(before.position)) throw new Error('Another process goes on with the export');
  const isEmpty = text === '';
  if (!isEmpty) await insertMany(db, exportParts, [{ account_id: row.account_id, export_id: row.id, number: row.parts, content: text }]);
  return await chatExports.setColumns(db, row, {
    position,
    parts: row.parts + (isEmpty ? 0 : 1),
    sessions: row.sessions + sessions,
    messages: row.messages + messages,
    bytes: row.bytes + Buffer.byteLength(text),
  });
}

/** Ends an export whose file is complete, and tells the account (rules exports.8, exports.9). */
function ready(account: string, id: string, sha256: string): Finish {
  return whileRunning(account, id, async (db, { now }, row) => {
    await chatExports.change(db, account, id, { status: 'ready', sha256, expires_at: now + keptFor }, now);
    const text = `The export has ${counted(row.sessions, 'chat session')} and ${counted(row.messages, 'message')}. It can be downloaded for 7 days.`;
    const entity = { type: 'chat_export', id } as const;
    await notify(db, [{ accountId: account, kind: 'export_ready', title: 'An export is ready', text, entity, at: now }]);
  });
}

/** Ends an export with too many messages, which is logged too (rule exports.7). */
function tooLarge(account: string, id: string, most: number): Finish {
  const failing = fail(account, id, `It has more than ${most.toLocaleString('en-US')} messages: choose fewer days or more filters`);
  return async (db, now) => {
    const row = await findRunning(db, account, id);
    await failing(db, now);
    if (row)
      await logFailures(db, [{ accountId: account, source: 'export', code: 'too_large', entity: { type: 'chat_export', id }, at: now }]);
  };
}

function fail(account: string, id: string, message: string): Finish {
  return whileRunning(account, id, async (db, { now }) => {
    await chatExports.change(db, account, id, { status: 'failed', error_message: message }, now);
    await discard(db, account, [id]);
    const entity = { type: 'chat_export', id } as const;
    await notify(db, [{ accountId: account, kind: 'export_failed', title: 'An export failed', text: message, entity, at: now }]);
  });
}

function whileRunning(account: string, id: string, work: (db: Db, journal: Journal, row: ChatExport) => Promise<void>): Finish {
  return finishOnAccount(account, async (db, journal) => {
    const row = await findRunning(db, account, id);
    if (row) await work(db, journal, row);
  });
}
