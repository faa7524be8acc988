import { estimateImport } from '../contract/areas/kb/endpoints.ts';
import type { Answer, Body } from '../contract/endpoint.ts';
import { limits } from '../contract/limits.ts';
import type { Client } from './client.ts';

type Request = Body<typeof estimateImport>;

/** A page, or a document in the account's storage, to import. */
type Importable = { readonly url: string } | { readonly file: NonNullable<Request['files']>[number] };

/**
 * Estimates the cost of an import, in batches of as many sources as one call accepts. Each answer includes the chunks of the
 * batches before it. @throws what the client throws
 */
export async function* importEstimates(
  client: Client,
  sources: readonly Importable[],
  tier?: Request['tier'],
): AsyncGenerator<Answer<typeof estimateImport>> {
  let prior = 0;
  for (let at = 0; at < sources.length; at += limits.bulkPages) {
    const part = sources.slice(at, at + limits.bulkPages);
    const urls = part.flatMap((each) => ('url' in each ? [each.url] : []));
    const files = part.flatMap((each) => ('file' in each ? [each.file] : []));
    const answer = await client.call(estimateImport, { body: { urls, files, prior_chunks: prior, ...(tier && { tier }) } });
    prior = answer.checked_chunks;
    yield answer;
  }
}
