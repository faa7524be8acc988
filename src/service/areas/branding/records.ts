import type { updateBranding } from '../../../contract/areas/branding/endpoints.ts';
import type { Body } from '../../../contract/endpoint.ts';
import { nameTaken } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import type { NewRow } from '../../store/table.ts';
import { type WhiteLabel, whiteLabels } from './table.ts';

/** Reads the brand of an agency; undefined before it is first set. */
async function findBrand(db: Db, agencyId: string): Promise<WhiteLabel | undefined> {
  const row = await db.selectFrom('white_labels').selectAll().where('account_id', '=', agencyId).executeTakeFirst();
  return row && whiteLabels.decode(row);
}

/** Reads the brand of an agency as answers show it. @param publicUrl the address of public pages */
export async function showBrand(db: Db, agencyId: string, publicUrl: string) {
  return brandRecord(await findBrand(db, agencyId), publicUrl);
}

function brandRecord(brand: WhiteLabel | undefined, publicUrl: string) {
  const { brand_name = null, logo_url = null, colour = null, support_email = null } = brand ?? {};
  const { enabled = false, slug = null, headline = null, packages = [] } = brand ?? {};
  return {
    brand_name,
    logo_url,
    colour,
    support_email,
    storefront: { enabled, slug, headline, packages: [...packages] },
    storefront_url: enabled && slug !== null ? `${publicUrl}/s/${slug}` : null,
  };
}

/**
 * Changes the brand of an agency. A storefront replaces the one before as a whole (rule branding.3).
 * @throws ApiError 409 when another storefront has the slug
 */
export async function updateBrand(db: Db, agencyId: string, { storefront, ...fields }: Body<typeof updateBranding>, now: number) {
  const before = await findBrand(db, agencyId);
  const row: NewRow<typeof whiteLabels> = {
    created_at: now,
    ...before,
    ...whiteLabels.read(fields),
    ...(storefront && { enabled: false, slug: null, headline: null, packages: [], ...whiteLabels.read(storefront) }),
    account_id: agencyId,
    updated_at: now,
  };
  // Written anew, so that a conflict can only be about the slug.
  await db.deleteFrom('white_labels').where('account_id', '=', agencyId).execute();
  const [written] = await insertMany(db, whiteLabels, [row], 'on conflict (slug) do nothing returning *');
  if (!written) throw nameTaken(`Another storefront has the slug '${row.slug}'`, 'storefront.slug');
}
