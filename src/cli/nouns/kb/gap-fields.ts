import { getGap, suggestFaqs } from '../../../contract/areas/gaps/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { inParallel } from '../../../contract/in-parallel.ts';
import { limits } from '../../../contract/limits.ts';
import type { ResultRow } from '../../output/result.ts';
import type { Session } from '../../verb/noun.ts';

type Gap = Answer<typeof getGap>['gap'];

/** How many gaps are compared with FAQs in parallel. */
const comparedAtOnce = 4;

/** By how many contacts a gap was asked. The API names the last ones. */
export const contactsField = {
  field: 'contacts',
  id: 'contact_ids',
  add: async (_session: Session, rows: readonly ResultRow[]) =>
    rows.map((row) => {
      const { length } = (row as unknown as Gap).contact_ids;
      return { ...row, contacts: length < limits.shownAskers ? String(length) : `${length} or more` };
    }),
};

/** The FAQ that comes nearest to an open gap, with its score. */
export const nearestField = {
  field: 'nearest',
  id: 'id',
  add: async ({ targets }: Session, rows: readonly ResultRow[]) => {
    const client = await targets.client();
    return await inParallel(rows, comparedAtOnce, async (row) => {
      const { id, status } = row as unknown as Gap;
      const [best] = status === 'open' ? (await client.call(suggestFaqs, { params: { id } })).faqs : [];
      return { ...row, nearest: best ? `${best.score.toFixed(2)} ${best.question}` : null };
    });
  },
};
