import { randomInt } from 'node:crypto';
import type { followLink } from '../../../contract/areas/links/endpoints.ts';
import { AccountRecords, type Stored } from '../../store/account-records.ts';
import { iso } from '../../clock/clock.ts';
import type { AreaHandlers, PublicHandler } from '../../http/context.ts';
import { ApiError, notFound } from '../../errors.ts';
import type { Db } from '../../store/store.ts';
import { Redirect } from '../../http/redirect.ts';

const shortLinks = new AccountRecords('short_links', 'lnk', 'Short link');

/** A short link as answers show it (5/B, Short links). */
function shortLinkRecord(row: Stored<'short_links'>) {
  return {
    id: row.id,
    slug: row.slug,
    url: row.url,
    clicks: row.clicks,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

/** Without what is easily mistaken for another character. */
const slugCharacters = '23456789abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ';
const slugLength = 8;

function randomSlug(): string {
  return Array.from({ length: slugLength }, () => slugCharacters[randomInt(slugCharacters.length)]).join('');
}

async function findLink(db: Db, slug: string) {
  return await db.selectFrom('short_links').select('url').where('slug', '=', slug).executeTakeFirst();
}

async function countClick(db: Db, slug: string) {
  return await db
    .updateTable('short_links')
    .set((eb) => ({ clicks: eb('clicks', '+', 1) }))
    .where('slug', '=', slug)
    .returning('url')
    .executeTakeFirst();
}

/** Counts a click and leads on. It writes: a click that was answered is counted, whatever happens to the process. */
const follow: PublicHandler<typeof followLink> = async ({ service: { store }, params: { slug }, method }) => {
  // Who only asks where it leads, as previews of links do, has not clicked.
  const known = await store.read((db) => findLink(db, slug));
  const link = known && method !== 'HEAD' ? await store.write((db) => countClick(db, slug)) : known;
  if (!link) throw notFound('Short link');
  // As a header can carry it: in ASCII.
  return new Redirect(new URL(link.url).href);
};

export const linkHandlers: Omit<AreaHandlers<'links'>, 'links.follow'> & { 'links.follow': typeof follow } = {
  'links.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, take) => shortLinks.list(db, account.id, before, take));
    return { short_links: rows.map(shortLinkRecord), next_cursor };
  },

  'links.create': async ({ db, account, body, now }) => {
    const fields = { slug: body.slug ?? randomSlug(), url: body.url, clicks: 0 };
    const link = await shortLinks.insertUnless('on conflict (slug) do nothing', db, account.id, fields, now);
    if (!link) throw new ApiError(409, `The slug '${fields.slug}' is taken`);
    return { short_link: shortLinkRecord(link) };
  },

  'links.delete': async ({ db, account, params }) => {
    await shortLinks.remove(db, account.id, params.id);
    return {};
  },

  'links.follow': follow,
};
