import type { CampaignTag } from '../../../contract/areas/campaigns/endpoints.ts';
import { limits } from '../../../contract/limits.ts';
import { ApiError, notFound } from '../../errors.ts';

/** The tags of a campaign with another one. The same tag again replaces its webhook. @throws ApiError 400 beyond the limit */
export function withTag(before: readonly CampaignTag[], tag: CampaignTag): CampaignTag[] {
  const at = before.findIndex(({ tag_id: id }) => id === tag.tag_id);
  if (at >= 0) return before.with(at, tag);
  if (before.length >= limits.campaignTags) throw new ApiError(400, `A campaign has at most ${limits.campaignTags} tags`);
  return [...before, tag];
}

/** The tags of a campaign without one of them. @throws ApiError 404 when it has no such tag */
export function withoutTag(before: readonly CampaignTag[], tagId: string): CampaignTag[] {
  const left = before.filter(({ tag_id: id }) => id !== tagId);
  if (left.length === before.length) throw notFound('Tag');
  return left;
}
