import { type askedBefore, standardColour, type widgetKinds, type widgetPositions } from '../../../contract/areas/widgets/endpoints.ts';
import type { PageLanguage } from '../../../contract/areas/widgets/page-languages.ts';
import { accountTable } from '../../store/account-table.ts';
import { boolean, integer, json, text } from '../../store/columns.ts';
import type { Row, StoredRow } from '../../store/table.ts';

/** Widgets for websites. */
export const widgets = accountTable(
  'widgets',
  { prefix: 'wgt', record: 'widget' },
  {
    kind: text<(typeof widgetKinds)[number]>().default('chat'),
    name: text(),
    /** The name as names are compared. */
    folded_name: text().internal(),
    agent_id: text().nullable(),
    title: text(),
    greeting: text().nullable(),
    colour: text().default(standardColour),
    position: text<(typeof widgetPositions)[number]>().default('right'),
    language: text<PageLanguage>().default('en'),
    allowed_origins: json<string[]>().default([]),
    ask_before: json<(typeof askedBefore)[number][]>().default([]),
    daily_ai_replies: integer().nullable(),
    enabled: boolean().default(true),
    number: text().nullable(),
    chat_url: text().nullable(),
    prefilled_text: text().nullable(),
    clicks: integer().default(0),
    public_id: text(),
    /** The day of UTC on which an agent last replied, and the number of its replies. */
    replies_day: integer().default(0).internal(),
    replies: integer().default(0).internal(),
    /** The day of UTC on which the account was last told that the replies are used up. */
    told_day: integer().default(0).internal(),
  },
);

export type Widget = Row<typeof widgets>;

declare module '../../store/database.ts' {
  interface Database {
    widgets: StoredRow<typeof widgets>;
  }
}
