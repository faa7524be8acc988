import * as z from 'zod';
import { id, readList, text } from '../../fields.ts';
import { parseInstant } from '../../time/instants.ts';
import { choiceOfFields } from '../../issues.ts';

/** What all endpoints of analytics share. */
export const analyticsRead = { method: 'GET', section: 'Analytics', access: 'account' } as const;

const dayPattern = /^[1-9]\d{3}-\d{2}-\d{2}$/;

/**
 * A UTC day in a query, as YYYY-MM-DD. Years start at 1000, because answers may also contain earlier days, whose years must still
 * have four digits.
 */
export const day = () =>
  z.string().refine((value) => dayPattern.test(value) && parseInstant(value) !== undefined, {
    error: 'must be a date as YYYY-MM-DD, from the year 1000 on',
  });

/** The maximum number of tags in a filter. */
const tagsMax = 25;

/** The ids of tags in a query. */
export const tagIds = () =>
  text(5_000)
    .refine((value) => readList(value).every((each) => /^tag_[\w-]{1,100}$/.test(each)), {
      error: 'must be ids of tags, separated by commas',
    })
    .refine((value) => readList(value).length <= tagsMax, { error: `must have at most ${tagsMax} ids` });

/** The range of days that the figures cover; by default the last 30 days. */
export const range = () => ({
  from: day().optional().meta({ description: 'the first day, in UTC', defaultText: '29 days before the last one' }),
  to: day().optional().meta({ description: 'the last day, in UTC', defaultText: 'today' }),
});

/** The error of a query with both a campaign and an agent. */
export const oneScope = choiceOfFields("give either 'campaign_id' or 'agent_id'");

/** The campaign or the agent that the figures cover. */
export const scope = () => ({
  campaign_id: id().optional().describe('only figures of this campaign'),
  agent_id: id().optional().describe('only figures of this agent'),
});

/** The parameters of a scope, for reports on the whole account, which refuse them. */
export const scopeParameters = ['campaign_id', 'campaignId', 'agent_id', 'agentId'] as const;

/** The query of figures, which can be limited to a campaign or an agent. */
export function scopedQuery<Fields extends z.ZodRawShape>(fields: Fields) {
  return z
    .object({ ...fields, ...scope() })
    .refine((query) => (query as Scope).campaign_id === undefined || (query as Scope).agent_id === undefined, oneScope);
}

interface Scope {
  readonly campaign_id?: string | undefined;
  readonly agent_id?: string | undefined;
}

/** The tags of a query where they are validated but have no effect (rule analytics.9). */
export const ignoredTags = () => ({ tag_ids: tagIds().optional().describe('checked, without effect') });

/** A whole number, or credits. */
export const figure = () => z.number();

/** US dollars, to 6 places. */
export const usd = () => z.number();
