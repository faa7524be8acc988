import type { Client } from '../../../client/client.ts';
import * as contract from '../../../contract/areas/contacts/endpoints.ts';
import type { Answer, Body } from '../../../contract/endpoint.ts';
import type { ResultRow } from '../../output/result.ts';

/** The fields that an older service silently ignores. */
const laterFields = ['email', 'company', 'do_not_disturb', 'private_mode', 'archived', 'tags'] as const;

type ImportAnswer = Pick<Answer<typeof contract.importContacts>, 'contact_ids' | 'skipped'>;

/** Detects which parts of an import the service ignores, from its responses and from one of the imported contacts. */
export class IgnoredFields {
  readonly #client: Client;
  readonly #updates: boolean;
  /** Whether the service does not return codes for skipped rows. */
  #lacksCodes = false;
  /** Whether the service skips contacts that it should update. */
  #skipsUpdates = false;
  #fields: readonly string[] = [];
  #hasLooked = false;

  constructor(client: Client, { on_duplicate: onDuplicate }: Pick<Body<typeof contract.importContacts>, 'on_duplicate'>) {
    this.#client = client;
    this.#updates = onDuplicate === 'update';
  }

  /** Examines the response to a call. @param contacts the rows that were sent */
  async notice(contacts: readonly (ResultRow | null)[], { contact_ids: ids, skipped }: ImportAnswer): Promise<void> {
    for (const { code } of skipped) {
      this.#lacksCodes ||= code === undefined;
      this.#skipsUpdates ||= this.#updates && code === 'duplicate';
    }
    if (this.#hasLooked) return;
    const left = new Set(skipped.map(({ index }) => index));
    const imported = contacts.filter((_, index) => !left.has(index));
    const position = imported.findIndex((row) => row !== null && laterFields.some((field) => says(row[field])));
    const [row, id] = [imported[position], ids?.[position]];
    if (!row || id === undefined) return;
    this.#hasLooked = true;
    this.#fields = await this.#missing(row, id);
  }

  /** The warnings to show; empty if the service supports everything. */
  get remarks(): string[] {
    const remarks: string[] = [];
    if (this.#fields.length > 0) remarks.push(`The service ignored these columns, which it cannot import: ${this.#fields.join(', ')}.`);
    if (this.#skipsUpdates || (this.#updates && this.#lacksCodes))
      remarks.push('The service does not support --on-duplicate update: contacts that exist were not changed.');
    if (this.#lacksCodes)
      remarks.push('The service does not distinguish duplicates from invalid rows: all skipped rows count as rejected.');
    return remarks;
  }

  /** The fields of an imported row that are missing in its contact. */
  async #missing(row: ResultRow, id: string): Promise<string[]> {
    try {
      const { contact } = await this.#client.call(contract.getContact, { params: { id } });
      return laterFields.filter((field) => says(row[field]) && !says((contact as ResultRow)[field]));
    } catch {
      // The import succeeded. A failure to read the contact is not an error, because a key need not be allowed to.
      return [];
    }
  }
}

/** Whether a value differs from that of a field that was never set. */
function says(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}
