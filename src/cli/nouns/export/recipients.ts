import { type BroadcastStatus, listBroadcasts, listRecipients } from '../../../contract/areas/broadcasts/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { InterfaceError } from '../../../client/errors.ts';
import type { ResultRow } from '../../output/result.ts';
import type { Reading, Step } from './dataset.ts';

/** What each broadcast told when its recipients were read, by its id. */
type Told = Readonly<Record<string, string>>;

/** The statuses of broadcasts that have recipients. */
const withRecipients: readonly BroadcastStatus[] = ['Sending', 'Paused', 'Sent', 'Failed'];

/**
 * Reads the recipients of the broadcasts whose status or counts are not those of the last time: recipients only change when these
 * do, but for the names and addresses of contacts.
 */
export async function* readRecipients(reading: Reading): AsyncGenerator<Step> {
  const { position, resume } = reading;
  let told = ((resume ?? position)?.told ?? {}) as Told;
  for await (const broadcast of broadcastsOf(reading)) {
    const { id, status } = broadcast;
    const now = tellsOf(broadcast);
    if (!withRecipients.includes(status) || told[id] === now) continue;
    for await (const { rows, isLast } of recipientsOf(id, reading)) {
      if (isLast) told = { ...told, [id]: now };
      yield { rows, ...(isLast && { replaces: restOf(id, rows) }), resume: { told }, done: null };
    }
  }
  yield { rows: [], resume: { told }, done: { told } };
}

type Broadcast = Answer<typeof listBroadcasts>['broadcasts'][number];

/** What changes with the recipients of a broadcast. */
type Tells = Pick<Broadcast, 'id' | 'status' | 'updated_at' | 'counts'>;

function tellsOf({ status, updated_at, counts: of }: Tells): string {
  return JSON.stringify([status, updated_at, ...counts.map((name) => of[name])]);
}

const counts = ['total', 'sent', 'delivered', 'read', 'replied', 'failed'] as const;

/** The broadcasts of the account: those that this run has just read, or else those of the interface. */
async function* broadcastsOf({ client, broadcasts }: Reading): AsyncGenerator<Tells, void> {
  const known = broadcasts(['id', 'status', 'updated_at', ...counts.map((name) => `counts_${name}`)]);
  if (!known) for await (const { rows } of client.pages(listBroadcasts, {})) yield* rows;
  for (const row of known ?? []) {
    const { id, status, updated_at } = row as Omit<Tells, 'counts'>;
    yield { id, status, updated_at, counts: Object.fromEntries(counts.map((name) => [name, row[`counts_${name}`]])) as Tells['counts'] };
  }
}

/** The recipients of a broadcast in pages. They are numbered, as they have no id. A broadcast that was deleted has none that are new. */
async function* recipientsOf(id: string, { client }: Reading): AsyncGenerator<{ rows: ResultRow[]; isLast: boolean }> {
  let position = 0;
  try {
    for await (const { rows, next_cursor: next } of client.pages(listRecipients, { params: { id } }))
      yield { rows: rows.map((row) => ({ broadcast_id: id, position: ++position, ...row })), isLast: next === null };
  } catch (error) {
    if (!(error instanceof InterfaceError && error.status === 404)) throw error;
  }
}

/** The conditions on the rows from the last page on: what is not on that page is gone. */
function restOf(id: string, lastPage: readonly ResultRow[]): NonNullable<Step['replaces']> {
  return [
    ['broadcast_id', '=', id],
    ['position', '>=', (lastPage[0]?.position as number | undefined) ?? 0],
  ];
}
