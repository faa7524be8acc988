import type { Service } from '../../http/handler.ts';
import { type Figures, readLatest } from './figures.ts';
import type { Extent } from './scope.ts';
import type { TagFilter } from './tag-filter.ts';
import { readByTags } from './tag-reports.ts';
import { latestOf, latestResponses } from './tagged-figures-part.ts';

/** Computes the figures of an extent from the counters of the contacts that have the tags now (rule analytics.46). */
export async function readTaggedFigures(service: Service, extent: Extent, filter: TagFilter): Promise<Figures> {
  const parts = await readByTags(service, 'figures', filter.tagIds, { extent, filter });
  const seqs = latestOf(parts.flatMap(({ latest }) => latest)).map(({ seq }) => seq);
  const countries = new Map<string, number>();
  for (const [country, contacts] of parts.flatMap((part) => [...part.countries]))
    countries.set(country, (countries.get(country) ?? 0) + contacts);
  return {
    daily: parts.flatMap(({ daily }) => daily),
    hourly: parts.flatMap(({ hourly }) => hourly),
    // A contact does not belong to a campaign.
    countries: extent.campaignId === undefined ? countries : null,
    responses: latestResponses(parts.flatMap(({ responses }) => responses)).map(({ taken }) => taken),
    latest: await service.scheduler.run(() => service.store.read((db) => readLatest(db, seqs))),
  };
}
