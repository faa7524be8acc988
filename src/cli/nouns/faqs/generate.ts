import { generateFaqs } from '../../../contract/areas/kb/endpoints.ts';
import { limits } from '../../../contract/limits.ts';
import type { Options, Session } from '../../command/noun.ts';
import { allStored, storedFiles } from '../../documents/stored-files.ts';
import { usageError } from '../../errors.ts';
import { campaignLookup } from '../../lookups/campaigns.ts';
import type { Result } from '../../output/result.ts';

/** Has FAQs of a campaign drafted from documents. @throws CliError 2 without a document, or with too many */
export async function generate(session: Session, [campaign = '', ...files]: readonly string[], options: Options): Promise<Result> {
  const { targets, names, notes } = session;
  const stored = storedFiles(options);
  const count = files.length + stored.length;
  if (count === 0 || count > limits.generatedDocuments)
    throw usageError(`Give 1 to ${limits.generatedDocuments} documents`, 'Name files of this machine, or --storage-path.');
  const client = await targets.client();
  const campaign_id = await names.id(campaignLookup, campaign);
  const paths = (await allStored(session, { files, stored })).map((file) => file.storage_path);
  const answer = await client.call(generateFaqs, { body: { campaign_id, storage_paths: paths } });
  notes.say('The FAQs are drafted in the background, and not active: `msgctl faqs list --is-active false` shows them.');
  return { kind: 'record', answer, record: answer };
}
