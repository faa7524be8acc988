import type { EventName } from '../../contract/event-names.ts';
import { newId } from './ids.ts';
import type { Db } from './store.ts';

/** What happened on an account. */
export interface NewEvent {
  readonly accountId: string;
  readonly name: Exclude<EventName, 'Channel Connected'>;
  /** The record concerned, under its noun (Document 4, Events and their data). */
  readonly data: Readonly<Record<string, unknown>>;
  /** By the service's clock. */
  readonly at: number;
}

/** Writes an event into the outbox, in the transaction of the change that causes it. Returns its id. */
export async function emit(db: Db, { accountId, name, data, at }: NewEvent): Promise<string> {
  const id = newId('evt');
  await db
    .insertInto('events')
    .values({ id, account_id: accountId, name, data: JSON.stringify(data), occurred_at: at })
    .execute();
  return id;
}
