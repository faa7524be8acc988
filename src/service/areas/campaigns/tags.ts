import type { CampaignTag } from '../../../contract/areas/campaigns/endpoints.ts';
import { limits } from '../../../contract/limits.ts';
import { ApiError, notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { insertMany, overwriting } from '../../store/insert.ts';
import { isAmong } from '../../store/is-among.ts';
import type { Row } from '../../store/table.ts';
import { campaigns, campaignTags } from './table.ts';

/** Campaigns as answers show them, with their tags in the order of creation. */
export async function campaignRecords(db: Db, rows: readonly Row<typeof campaigns>[]) {
  const tagsOf = await readTags(db, rows);
  return rows.map((row) => {
    const { created_at, updated_at, ...fields } = campaigns.show(row);
    return { ...fields, tags: tagsOf.get(row.id) ?? [], created_at, updated_at };
  });
}

/** A campaign as answers show it. */
export async function campaignRecord(db: Db, row: Row<typeof campaigns>) {
  const [record] = await campaignRecords(db, [row]);
  return record as NonNullable<typeof record>;
}

async function readTags(db: Db, ofAccount: readonly Row<typeof campaigns>[]): Promise<Map<string, CampaignTag[]>> {
  const [first] = ofAccount;
  if (!first) return new Map();
  const rows = await db
    .selectFrom('campaign_tags')
    .innerJoin('tags', 'tags.id', 'campaign_tags.tag_id')
    .select(['campaign_id', 'tag_id', 'webhook'])
    .where(isAmong(db, 'campaign_id', JSON.stringify(ofAccount.map(({ id }) => id))))
    // A deleted tag with many contacts may still be stored.
    .where('tags.account_id', '=', first.account_id)
    .orderBy('tags.seq')
    .execute();
  const grouped = Map.groupBy(rows, (row) => row.campaign_id);
  return new Map([...grouped].map(([id, tags]) => [id, tags.map(({ tag_id, webhook }) => ({ tag_id, webhook }))]));
}

/** Adds a tag to a campaign. The same tag again replaces its webhook. @throws ApiError 400 beyond the limit */
export async function addTag(db: Db, campaignId: string, tag: CampaignTag): Promise<void> {
  const others = await db
    .selectFrom('campaign_tags')
    .select('tag_id')
    .where('campaign_id', '=', campaignId)
    .where('tag_id', '<>', tag.tag_id)
    .execute();
  if (others.length >= limits.campaignTags) throw new ApiError(400, `A campaign has at most ${limits.campaignTags} tags`);
  await insertMany(db, campaignTags, [{ campaign_id: campaignId, ...tag }], overwriting(['campaign_id', 'tag_id'], ['webhook']));
}

/** Removes a tag from a campaign. @throws ApiError 404 when it has no such tag */
export async function removeTag(db: Db, campaignId: string, tagId: string): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('campaign_tags')
    .where('campaign_id', '=', campaignId)
    .where('tag_id', '=', tagId)
    .executeTakeFirst();
  if (Number(numDeletedRows) === 0) throw notFound('tag');
}
