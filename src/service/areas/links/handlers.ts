import { numberFor } from '../../store/randomness.ts';
import { nameTaken, notFound } from '../../errors.ts';
import { type AreaHandlers, Redirect } from '../../http/handler.ts';
import { deletedAccounts } from '../../identity/deleted-accounts.ts';
import { deleteRecord, listRecords } from '../../http/record-handlers.ts';
import type { Db } from '../../store/database.ts';
import { links } from './table.ts';

/** Excludes characters that look alike, such as 0 and O. */
const slugCharacters = '23456789abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ';
const slugLength = 8;

function randomSlug(): string {
  return Array.from({ length: slugLength }, () => slugCharacters[numberFor('slug', slugCharacters.length)]).join('');
}

async function findBySlug(db: Db, slug: string): Promise<{ url: string } | undefined> {
  return await db
    .selectFrom('short_links')
    .select('url')
    .where('slug', '=', slug)
    .where('account_id', 'not in', deletedAccounts(db))
    .executeTakeFirst();
}

async function countClick(db: Db, slug: string): Promise<{ url: string } | undefined> {
  return await db
    .updateTable('short_links')
    .set((eb) => ({ clicks: eb('clicks', '+', 1) }))
    .where('slug', '=', slug)
    .where('account_id', 'not in', deletedAccounts(db))
    .returning('url')
    .executeTakeFirst();
}

/** Frees the slug of a link whose account was deleted. */
async function freeSlug(db: Db, slug: string): Promise<void> {
  await db.deleteFrom('short_links').where('slug', '=', slug).where('account_id', 'in', deletedAccounts(db)).execute();
}

export const linkHandlers: AreaHandlers<'links'> = {
  'links.list': listRecords(links, 'short_links'),

  'links.create': async ({ db, account, body, now }) => {
    const fields = { slug: body.slug ?? randomSlug(), url: body.url };
    await freeSlug(db, fields.slug);
    const link = await links.createUnless('on conflict (slug) do nothing', db, account.id, fields, now);
    if (!link) throw nameTaken(`The slug '${fields.slug}' is taken`, 'slug');
    return { short_link: links.show(link) };
  },

  'links.delete': deleteRecord(links),

  'links.follow': async ({ service: { store }, params: { slug }, method }) => {
    // Link previews send HEAD, which does not count as a click.
    const known = await store.read((db) => findBySlug(db, slug));
    const link = known && method !== 'HEAD' ? await store.write((db) => countClick(db, slug)) : known;
    if (!link) throw notFound('short_link');
    // `href` is ASCII, as required for a header.
    return new Redirect(new URL(link.url).href);
  },
};
