import type { Client } from '../../../client/client.ts';
import { listFaqs } from '../../../contract/areas/faqs/endpoints.ts';
import type { Answer, Query } from '../../../contract/endpoint.ts';

/** A FAQ as the API returns it. */
export type Faq = Answer<typeof listFaqs>['faqs'][number];

/** The FAQs of a list, sorted by position; those with equal positions, oldest first. Holds all of them in memory. */
export async function orderedFaqs(client: Client, query: Query<typeof listFaqs>): Promise<Faq[]> {
  const faqs = await client.all(listFaqs, { query });
  // The service lists the newest first.
  return faqs.reverse().sort((one, other) => one.order_index - other.order_index);
}
