import { identityKey, identityKeys } from '../../../contract/areas/contacts/address.ts';
import { repeatedRow, readImportRow } from '../../../contract/areas/contacts/import-rows.ts';
import type { SourceRow } from '../../rows/files/source.ts';
import { checkRows } from '../../rows/check.ts';
import type { Prepare, PreparedRow } from '../../rows/prepare.ts';
import type { SkippedRow, ReadStep } from '../../rows/steps.ts';

/**
 * Validates the contacts of a file by the rules of the service, without the service, so that existing contacts are not known. A
 * row with the number or account of an earlier row is a duplicate. These are held in memory, which therefore grows with the
 * file.
 * @param country the country of numbers without a plus sign; null for none
 * @throws CliError 2 if the file does not have the row to start at
 */
export async function* checkContacts(
  rows: AsyncIterable<SourceRow>,
  fromRow: number,
  defaultChannel: string,
  prepare: Prepare,
  country: string | null,
): AsyncGenerator<ReadStep> {
  const { readNationalNumber } = await import('../../../contract/areas/contacts/phone-numbers.ts');
  const known = new Set<string>();
  const problemOf = (prepared: PreparedRow): Pick<SkippedRow, 'code' | 'reason'> | undefined => {
    if (prepared.flaw !== undefined) return { code: 'invalid_row', reason: prepared.flaw };
    const contact = readImportRow(prepared.mapped, defaultChannel, (text) => readNationalNumber(text, country));
    if ('reason' in contact) return contact;
    const { channel, address } = contact;
    if (identityKeys(channel, address).some((key) => known.has(key))) return repeatedRow(address);
    known.add(identityKey(channel, address));
    return undefined;
  };
  // Rows before the one to start at were already imported. They are only needed to detect duplicates.
  yield* checkRows(rows, fromRow, (row, number) => {
    const prepared = prepare(row, number);
    const problem = problemOf(prepared);
    return problem && { ...prepared, ...problem };
  });
}
