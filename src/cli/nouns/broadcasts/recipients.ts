import { lacksEndpoint } from '../../../client/errors.ts';
import { listRecipients, type RecipientStatus, recipientStatuses } from '../../../contract/areas/broadcasts/endpoints.ts';
import { readList } from '../../../contract/fields.ts';
import { limits } from '../../../contract/limits.ts';
import type { Page } from '../../output/result.ts';
import type { Session } from '../../verb/noun.ts';
import type { Recipient } from './recipient.ts';

/**
 * The pages of the recipients of a broadcast. Of a service that does not list them, they are computed from its contacts and messages,
 * as one page.
 * @param listed the pages as the service lists them
 * @param statuses separated by commas; undefined for all
 */
export async function* orComputed(
  listed: AsyncIterable<Page>,
  session: Session,
  id: string,
  statuses: string | undefined,
): AsyncGenerator<Page> {
  try {
    yield* listed;
  } catch (error) {
    if (!lacksEndpoint(error)) throw error;
    yield { rows: await computed(session, id, statuses), next_cursor: null };
  }
}

/** The recipients of a broadcast with some statuses. @param most how many to read; all by default */
export async function readRecipients(
  session: Session,
  id: string,
  statuses: readonly RecipientStatus[] = recipientStatuses,
  most = Infinity,
): Promise<{ readonly recipients: readonly Recipient[]; readonly isComplete: boolean }> {
  const client = await session.targets.client();
  const status = statuses.join(',');
  const pages = orComputed(client.pages(listRecipients, { params: { id }, query: { status } }, most), session, id, status);
  const recipients: Recipient[] = [];
  let isComplete = true;
  for await (const { rows, next_cursor: next } of pages) {
    recipients.push(...(rows as unknown as readonly Recipient[]).slice(0, most - recipients.length));
    isComplete = next === null;
  }
  return { recipients, isComplete };
}

async function computed(session: Session, id: string, statuses: string | undefined): Promise<readonly Recipient[]> {
  const { computeRecipients } = await import('./computed.ts');
  const all = await computeRecipients(await session.targets.client(), id);
  session.notes.say(
    'This service does not list the recipients of broadcasts. They are computed from its contacts, lists and messages of today.',
  );
  const wanted = statuses === undefined ? recipientStatuses : readList(statuses);
  return all.filter(({ status }) => wanted.includes(status));
}

/**
 * The ids of the contacts among the recipients of a broadcast with some statuses, for another broadcast.
 * @returns at most as many as a broadcast can name, and one more if there are more
 */
export async function contactsAmong(session: Session, id: string, statuses: readonly RecipientStatus[]): Promise<string[]> {
  const { recipients } = await readRecipients(session, id, statuses, limits.listContacts + 1);
  return recipients.flatMap(({ contact_id: contact }) => contact ?? []);
}
