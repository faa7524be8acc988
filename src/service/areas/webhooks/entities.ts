import type { EntityType } from '../../../contract/areas/notifications/entity-types.ts';
import type { Db } from '../../store/database.ts';
import { positionsOf } from './subscriptions.ts';

/** What a notification or an error record is about, as it is stored. */
interface StoredEntity {
  readonly entity_type: EntityType | null;
  readonly entity_id: string | null;
}

/** The positions of the account's subscriptions by their ids, if any of the records is about a subscription. */
export async function positionsIn(db: Db, accountId: string, records: readonly StoredEntity[]): Promise<ReadonlyMap<string, string>> {
  return records.some(({ entity_type: type }) => type === 'webhook') ? await positionsOf(db, [accountId]) : new Map();
}

/** The id of a record as answers show it: of a subscription its present position, and null once it is gone. */
export function shownEntityId({ entity_type: type, entity_id: id }: StoredEntity, positions: ReadonlyMap<string, string>): string | null {
  return type === 'webhook' ? (positions.get(id ?? '') ?? null) : id;
}
