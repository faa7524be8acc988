import { ApiError, notFound } from '../../errors.ts';
import { type AreaHandlers, StreamedFile } from '../../http/handler.ts';
import { cancelJobs, enqueue } from '../../jobs/queue.ts';
import { requireRecord } from '../../store/require-record.ts';
import { contacts } from '../contacts/table.ts';
import { discard, readFile } from './files.ts';
import { fileFormats } from './formats.ts';
import { checkDays, exportRecord, statusOf } from './rules.ts';
import { chatExports } from './table.ts';

/** The handlers of the area. */
export const exportHandlers: AreaHandlers<'exports'> = {
  'exports.create': async ({ db, account, body, now }) => {
    const { from, to, format, contact_ids: ids, tag_id, agent_id, channel } = body;
    checkDays(body);
    if (ids) {
      const known = await contacts.existing(db, account.id, ids);
      const unknown = ids.find((id) => !known.has(id));
      if (unknown !== undefined) throw notFound('contact', unknown);
    }
    if (tag_id !== undefined) await requireRecord(db, 'tags', 'tag', account.id, tag_id);
    if (agent_id !== undefined) await requireRecord(db, 'agents', 'agent', account.id, agent_id);
    const days = { from_day: from, to_day: to };
    const filters = { contact_ids: ids ?? null, tag_id: tag_id ?? null, agent_id: agent_id ?? null, channel: channel ?? null };
    const fields = { ...days, ...filters, format, status: 'queued' } as const;
    const created = await chatExports.createUnless('on conflict do nothing', db, account.id, fields, now);
    if (!created) throw new ApiError(409, 'Another export of the account runs: wait for it, or delete it');
    await enqueue(db, { kind: 'chat_export', accountId: account.id, payload: { export: created.id }, key: created.id, dueAt: now });
    return { chat_export: exportRecord(created, now) };
  },

  'exports.list': async ({ db, account, page, now }) => {
    const { rows, next_cursor } = await page((before, limit) => chatExports.list(db, account.id, before, limit));
    return { chat_exports: rows.map((row) => exportRecord(row, now)), next_cursor };
  },

  'exports.get': async ({ db, account, params, now }) => ({
    chat_export: exportRecord(await chatExports.require(db, account.id, params.id), now),
  }),

  'exports.delete': async ({ db, account, params }) => {
    await chatExports.delete(db, account.id, params.id);
    await cancelJobs(db, account.id, ['chat_export'], [params.id]);
    await discard(db, account.id, [params.id]);
    return {};
  },

  'exports.download': {
    openFile: async ({ service: { store }, account, params, now }) => {
      const row = await store.read((db) => chatExports.require(db, account.id, params.id));
      const status = statusOf(row, now);
      if (status === 'expired') throw new ApiError(410, 'The file of the export has expired: start another export');
      if (status !== 'ready')
        throw new ApiError(409, status === 'failed' ? 'The export failed: it has no file' : 'The export is not ready yet');
      const name = `chats-${row.from_day}-to-${row.to_day}.${row.format}`;
      return new StreamedFile({ name, contentType: fileFormats[row.format].contentType, bytes: row.bytes, text: readFile(store, row) });
    },
  },
};
