import { ApiError, invalidField, nameTaken, notFound } from '../../errors.ts';
import { readNow } from '../../clock/state.ts';
import { type AreaHandlers, FileAnswer } from '../../http/handler.ts';
import { deletedAccounts } from '../../identity/deleted-accounts.ts';
import type { Db } from '../../store/database.ts';
import { requireAgent } from '../agents/records.ts';
import { findFile, ownPath } from '../uploads/files.ts';
import { mediaType } from './kinds.ts';
import { mediaOf } from './records.ts';
import { agentMedia } from './table.ts';

/** The most bytes of a file, and the most files of an agent. */
const bytesMax = 16 * 1024 * 1024;
const filesMax = 20;

/** Reads a file that an agent is to send. @throws ApiError 403 for a foreign one, 404 for none, 400 for one that agents cannot send */
async function readSendable(db: Db, accountId: string, given: string) {
  const path = ownPath(accountId, given);
  const file = await findFile(db, accountId, path, bytesMax);
  if (!file) throw notFound('file');
  if (!file.content) throw invalidField('storage_path', 'must be a file of at most 16 MiB');
  const type = mediaType(file.content);
  if (type === undefined) throw invalidField('storage_path', 'must be a PNG, JPEG, GIF, WebP, PDF, MP3, OGG or WAV file, by its content');
  return { storage_path: path, mime_type: type, bytes: file.size };
}

/** The handlers of the area. */
export const mediaHandlers: AreaHandlers<'media'> = {
  'media.list': async ({ db, account, params, page }) => {
    await requireAgent(db, account.id, params.agentId);
    const all = (await mediaOf(db, params.agentId)).reverse();
    const { rows, next_cursor } = await page(async (before = Infinity, limit) => all.filter(({ seq }) => seq < before).slice(0, limit));
    return { media: rows.map(agentMedia.show), next_cursor };
  },

  'media.add': async ({ db, account, params, body: { storage_path: path, name, description = null }, now }) => {
    await requireAgent(db, account.id, params.agentId);
    const file = await readSendable(db, account.id, path);
    const others = await mediaOf(db, params.agentId);
    if (others.some((other) => other.name === name)) throw nameTaken(`The agent has another file with the name '${name}'`);
    if (others.length >= filesMax) throw new ApiError(400, `An agent has at most ${filesMax} media`);
    const created = await agentMedia.create(db, account.id, { ...file, agent_id: params.agentId, name, description }, now);
    return { media: agentMedia.show(created) };
  },

  'media.remove': async ({ db, account, params }) => {
    await requireAgent(db, account.id, params.agentId);
    const { agent_id: agentId } = await agentMedia.require(db, account.id, params.mediaId);
    if (agentId !== params.agentId) throw notFound('media');
    await agentMedia.delete(db, account.id, params.mediaId);
    return {};
  },

  'media.serve': async ({ service: { store, mediaLinks, realNow }, params: { token } }) =>
    await store.read(async (db) => {
      const id = mediaLinks.read(token, await readNow(db, realNow()));
      const media = id === undefined ? undefined : await findMedia(db, id);
      const file = media && (await findFile(db, media.account_id, media.storage_path, bytesMax));
      if (!media || !file?.content) throw notFound('media');
      return new FileAnswer(file.content, media.mime_type);
    }),
};

async function findMedia(db: Db, id: string) {
  return await db
    .selectFrom('agent_media')
    .select(['account_id', 'storage_path', 'mime_type'])
    .where('id', '=', id)
    .where('account_id', 'not in', deletedAccounts(db))
    .executeTakeFirst();
}
