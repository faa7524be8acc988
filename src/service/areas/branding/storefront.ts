import { colourStyles } from '../../../pages/html/colour.ts';
import { storefrontPage } from '../../../pages/html/storefront-page.ts';
import { ApiError } from '../../errors.ts';
import { pageAnswer, textAnswer } from '../../http/page-answers.ts';
import { pageAssets } from '../../http/page-assets.ts';
import type { PublicRoute } from '../../http/public-routes.ts';
import { deletedAccounts } from '../../identity/deleted-accounts.ts';
import type { Db } from '../../store/database.ts';
import { type WhiteLabel, whiteLabels } from './table.ts';

/** The public pages of agencies (rule branding.8). */
export const storefrontRoutes: readonly PublicRoute[] = [
  {
    method: 'GET',
    path: '/s/:slug',
    answer: async ({ service: { store }, params: { slug = '' } }) => {
      const brand = await store.read((db) => requireOpen(db, slug));
      const { logo_url: logo, colour } = brand.label;
      const { styles, ...assets } = pageAssets('page.css');
      const own = colour === null ? [] : [`/s/${slug}/colours.css`];
      const shown = { ...brand.label, brand_name: brand.label.brand_name ?? brand.name };
      const html = storefrontPage(shown, { ...assets, styles: [...styles, ...own] });
      return pageAnswer(html, { images: logo === null ? [] : [new URL(logo).origin] });
    },
  },
  {
    method: 'GET',
    path: '/s/:slug/colours.css',
    answer: async ({ service: { store }, params: { slug = '' } }) => {
      const { label } = await store.read((db) => requireOpen(db, slug));
      return textAnswer('text/css; charset=utf-8', label.colour === null ? '' : colourStyles(label.colour));
    },
  },
];

/** @throws ApiError 404 when no agency has an open storefront with the slug */
async function requireOpen(db: Db, slug: string): Promise<{ readonly label: WhiteLabel; readonly name: string }> {
  const row = await db
    .selectFrom('white_labels')
    .innerJoin('accounts', 'accounts.id', 'white_labels.account_id')
    .selectAll('white_labels')
    .select('accounts.name as account_name')
    .where('slug', '=', slug)
    .where('enabled', '=', 1)
    .where('white_labels.account_id', 'not in', deletedAccounts(db))
    .executeTakeFirst();
  if (!row) throw new ApiError(404, 'There is no such page');
  return { label: whiteLabels.decode(row), name: row.account_name };
}
