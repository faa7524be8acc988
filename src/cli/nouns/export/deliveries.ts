import { listWebhookDeliveries, listWebhooks } from '../../../contract/areas/webhooks/endpoints.ts';
import type { ResultRow } from '../../output/result.ts';
import type { Reading, Step } from './dataset.ts';
import { changesFrom, newsFrom, notBefore } from './lists.ts';

/** Since when each webhook missed events, by its name, when the last run read it. They can be replayed later. */
type MissedSince = Readonly<Record<string, string | null>>;

/** How far the webhooks of an account are read. */
interface Place {
  readonly at: string;
  readonly missed: MissedSince;
  /** The names of those that are read. */
  readonly read: readonly string[];
}

/**
 * Reads the deliveries of each webhook. A later run reads those since the last run, and from the oldest of the last 30 days on that
 * did not arrive or that the webhook missed, because they can have been sent since.
 */
export async function* readDeliveries(reading: Reading): AsyncGenerator<Step> {
  const { client, account, position, resume, now, nameOf } = reading;
  const { webhooks } = await client.call(listWebhooks, { query: { include: 'health' } });
  const known = (position?.missed ?? {}) as MissedSince;
  let place = (resume as unknown as Place | undefined) ?? { at: new Date(now).toISOString(), missed: {}, read: [] };
  for (const { name, missed_since: missedSince = null } of webhooks) {
    if (place.read.includes(name)) continue;
    const from = name in known ? firstOpen(reading, name, known[name] ?? null) : reading.since;
    const query = from === null ? {} : { from };
    for await (const { rows, next_cursor: next } of client.pages(listWebhookDeliveries, { params: { webhookId: name }, query })) {
      const shown: ResultRow[] = [];
      for (const delivery of rows)
        shown.push({ ...delivery, account: await nameOf(delivery.account_id), webhook_account_id: account.id, webhook: name });
      if (next === null) place = { ...place, missed: { ...place.missed, [name]: missedSince }, read: [...place.read, name] };
      yield { rows: shown, resume: { ...place }, done: null };
    }
  }
  yield { rows: [], resume: { ...place }, done: { at: place.at, missed: place.missed } };
}

/** From when on a webhook can have deliveries that were not exported, or that have changed. */
function firstOpen(reading: Reading, webhook: string, missedSince: string | null): string | null {
  const [news, changes] = [newsFrom(reading), changesFrom(reading)];
  if (news === null || changes === null) return null;
  const open = reading.smallest('occurred_at', [
    ['webhook_account_id', '=', reading.account.id],
    ['webhook', '=', webhook],
    ['state', '<>', 'delivered'],
    ['occurred_at', '>=', changes],
  ]);
  const first = [news, open, missedSince].filter((at) => at !== null).sort()[0] ?? news;
  return notBefore(changes, Date.parse(first));
}
