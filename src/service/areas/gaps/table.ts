import type { gapStatuses } from '../../../contract/areas/gaps/endpoints.ts';
import { accountTable } from '../../store/account-table.ts';
import { instant, integer, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

/** What agents could not answer. */
export const gaps = accountTable(
  'knowledge_gaps',
  { prefix: 'gap', record: 'gap' },
  {
    /** The most frequent wording. */
    question: text(),
    /** How many messages asked it. */
    count: integer().default(0),
    status: text<(typeof gapStatuses)[number]>().default('open'),
    faq_id: text().nullable(),
    task_id: text().nullable(),
    /** The day on which the task was made, in days since 1970-01-01; null before that. A gap has one task at most, also if it was deleted. */
    task_day: integer().nullable().internal(),
    first_at: instant(),
    last_at: instant(),
  },
);

export type Gap = Row<typeof gaps>;

/** How contacts asked. A wording of an account belongs to one gap. */
export const gapWordings = table('gap_wordings', {
  account_id: text(),
  /** See `wordingKey`. */
  key: text(),
  gap_id: text(),
  /** The text, as it was written first. */
  text: text(),
  /** How many messages had it. */
  count: integer(),
  first_at: integer(),
});

/** How often a contact used a wording. */
export const gapAskings = table('gap_askings', { contact_id: text(), gap_id: text(), key: text(), count: integer() });

/** When each contact asked last. */
export const gapContacts = table('gap_contacts', { gap_id: text(), contact_id: text(), last_at: integer() });

/** The agents that were asked. */
export const gapAgents = table('gap_agents', { gap_id: text(), agent_id: text() });

declare module '../../store/database.ts' {
  interface Database {
    knowledge_gaps: StoredRow<typeof gaps>;
    gap_wordings: StoredRow<typeof gapWordings>;
    gap_askings: StoredRow<typeof gapAskings>;
    gap_contacts: StoredRow<typeof gapContacts>;
    gap_agents: StoredRow<typeof gapAgents>;
  }
}
