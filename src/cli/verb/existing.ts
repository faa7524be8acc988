import { InterfaceError } from '../../client/errors.ts';
import { type Answer, type Endpoint, schemaOf } from '../../contract/endpoint.ts';
import { CliError } from '../errors.ts';
import { toCliError } from '../explain.ts';
import type { ResultRow } from '../output/result.ts';
import { callById } from './call-by-id.ts';
import type { Options, OptionSpec, Session } from './noun.ts';
import { addressIn, type Lookup } from './lookup.ts';

/** How to find and update a record that already exists. */
export interface Existing {
  readonly lookup: Lookup;
  /** The name in a creation that was refused because the name is taken. */
  readonly nameOf: (body: ResultRow) => string | null | undefined;
  /** The endpoint that updates the record; without it, `--if-exists` can only skip. */
  readonly update?: Endpoint;
}

/** The `--if-exists` option of a verb. */
export function ifExistsOption({ lookup, update }: Existing): OptionSpec {
  const choices = update ? ['skip', 'update'] : ['skip'];
  const summary = update ? 'skip it, or update the fields that are given' : 'skip it';
  return { flags: '--if-exists <action>', summary: `if the ${lookup.what} already exists: ${summary}, instead of an error`, choices };
}

/**
 * Handles the error for a record that already exists, according to `--if-exists`.
 * @returns the response with the existing record; undefined if the error is a different one
 * @throws CliError 6 if the record exists and `--if-exists` is not given
 */
export async function useExisting<E extends Endpoint>(
  error: unknown,
  { lookup, nameOf, update }: Existing,
  body: ResultRow,
  { names, notes, targets }: Session,
  options: Options,
): Promise<Answer<E> | undefined> {
  const name = nameOf(body);
  if (!name || !(error instanceof InterfaceError && error.status === 409)) return undefined;
  if (options.ifExists === undefined) throw existsError(error, update);
  const record = await names.record(lookup, name);
  const changes = update && options.ifExists === 'update' ? changesIn(body, update) : {};
  if (!update || Object.keys(changes).length === 0) {
    notes.say(`The ${lookup.what} ${name} exists: nothing was changed.`);
    return { [fieldOf(lookup)]: record } as Answer<E>;
  }
  const client = await targets.client();
  const answer = await callById(client, update, addressIn(lookup, record), { body: changes });
  notes.say(`The ${lookup.what} ${name} exists: it was updated.`);
  return answer as Answer<E>;
}

/** The error with a hint about `--if-exists`. */
function existsError(error: InterfaceError, update: Endpoint | undefined): CliError {
  const hint = update ? '`--if-exists update` changes it, and `--if-exists skip` leaves it.' : '`--if-exists skip` leaves it.';
  return toCliError(error).with({ hint });
}

/** The fields of a creation that the update supports too. */
function changesIn(body: ResultRow, { body: schema }: Endpoint): ResultRow {
  const known = schema ? schemaOf(schema).shape : {};
  return Object.fromEntries(Object.entries(body).filter(([field]) => Object.hasOwn(known, field)));
}

/** The response field with a single record: the singular of the list's field. */
function fieldOf({ rows }: Lookup): string {
  return rows.replace(/s$/, '');
}
