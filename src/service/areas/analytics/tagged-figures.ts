import type { Service } from '../../http/handler.ts';
import { readFiguresOfContacts } from './contact-figures.ts';
import { type Figures, readLatest } from './figures.ts';
import type { Extent } from './scope.ts';
import type { TagFilter } from './tag-filter.ts';

/** Computes the figures of an extent from the counters of the contacts that have the tags now (rule analytics.46). */
export async function readTaggedFigures(service: Service, extent: Extent, filter: TagFilter): Promise<Figures> {
  const { daily, hourly, countries, responses, latest } = await readFiguresOfContacts(service, extent, filter);
  const seqs = latest.map(({ seq }) => seq);
  return {
    daily,
    hourly,
    // A contact does not belong to a campaign.
    countries: extent.campaignId === undefined ? countries : null,
    responses: responses.map(({ taken }) => taken),
    latest: await service.scheduler.run(() => service.store.read((db) => readLatest(db, seqs))),
  };
}
