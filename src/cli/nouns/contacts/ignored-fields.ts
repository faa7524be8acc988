import type { Client } from '../../../client/client.ts';
import * as contract from '../../../contract/areas/contacts/endpoints.ts';
import type { Answer, Body } from '../../../contract/endpoint.ts';
import type { Row } from '../../output/result.ts';

/** The fields of a row that an older service does not know, and ignores. It says so nowhere. */
const laterFields = ['email', 'company', 'do_not_disturb', 'private_mode', 'archived', 'tags'] as const;

type ImportAnswer = Pick<Answer<typeof contract.importContacts>, 'contact_ids' | 'skipped'>;

/** Notices what the service ignores of an import: by its answers, and by one contact that it imported. */
export class IgnoredFields {
  readonly #client: Client;
  readonly #updates: boolean;
  /** Whether the service gives no codes. */
  #lacksCodes = false;
  /** Whether the service skips what it is told to update. */
  #skipsUpdates = false;
  #fields: readonly string[] = [];
  #hasLooked = false;

  constructor(client: Client, { on_duplicate: onDuplicate }: Pick<Body<typeof contract.importContacts>, 'on_duplicate'>) {
    this.#client = client;
    this.#updates = onDuplicate === 'update';
  }

  /** Looks at the answer to a call. @param contacts the rows that were sent */
  async notice(contacts: readonly (Row | null)[], { contact_ids: ids, skipped }: ImportAnswer): Promise<void> {
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

  /** What people should know; empty when the service knows everything. */
  get remarks(): string[] {
    const remarks: string[] = [];
    if (this.#fields.length > 0) remarks.push(`The service does not import ${this.#fields.join(', ')}: it ignored these columns.`);
    if (this.#skipsUpdates || (this.#updates && this.#lacksCodes))
      remarks.push('The service does not know --on-duplicate update: it left contacts that exist as they were.');
    if (this.#lacksCodes) remarks.push('The service does not tell duplicates from invalid rows: all skipped rows count as rejected.');
    return remarks;
  }

  /** The fields of an imported row that its contact does not have. */
  async #missing(row: Row, id: string): Promise<string[]> {
    try {
      const { contact } = await this.#client.call(contract.getContact, { params: { id } });
      return laterFields.filter((field) => says(row[field]) && !says((contact as Row)[field]));
    } catch {
      // The contact was imported. Whether it can be read too does not matter, and a key may not be allowed to.
      return [];
    }
  }
}

/** Whether a value differs from that of a field that was never set. */
function says(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}
