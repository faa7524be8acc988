import type { Kysely } from 'kysely';

/**
 * The tables of the store, with their types for queries. Each part of the service adds its own tables next to their definitions:
 * `declare module '…/store/database.ts' { interface Database { tags: StoredRow<typeof tags> } }`.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- declarations elsewhere fill it
export interface Database {}

/** Runs queries on a connection or in a transaction. */
export type Db = Kysely<Database>;
