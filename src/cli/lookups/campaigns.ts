import { getCampaign, listCampaigns } from '../../contract/areas/campaigns/endpoints.ts';
import { lookup } from '../verb/lookup.ts';

/** Campaigns by name. */
export const campaignLookup = lookup(listCampaigns, 'campaigns', 'name', { get: getCampaign });
