import { definedFields } from '../../../contract/defined-fields.ts';
import * as contract from '../../../contract/areas/contacts/endpoints.ts';
import type { Body } from '../../../contract/endpoint.ts';
import type { Options, Session } from '../../verb/noun.ts';
import type { Result, ResultRow } from '../../output/result.ts';
import { Calls, type Send } from '../../rows/calls.ts';
import type { RecordKind, Source } from '../../rows/files/source.ts';
import { checkColumns, isHeading, mappingNote, plain, readWanted, RowMapper, type Wanted } from '../../rows/headers.ts';
import { type ImportInput, openInput } from '../../rows/input.ts';
import { type Prepare, preparation } from '../../rows/prepare.ts';
import { openRejects, type ImportRun, startRun } from '../../rows/run.ts';
import type { SkippedRow } from '../../rows/steps.ts';
import { defaultCountry } from '../../lookups/default-country.ts';
import { checkContacts } from './check.ts';
import { IgnoredFields } from './ignored-fields.ts';
import { numberReader } from './numbers.ts';
import { Tally } from './tally.ts';
import { contactColumns } from './columns.ts';
import { dividedName } from './full-names.ts';
import { vcardRows } from './vcards.ts';

const kind: RecordKind = { list: 'contacts', ownFormats: { vcf: vcardRows } };

/** The fields of each call other than its rows. */
type ImportSettings = Omit<Body<typeof contract.importContacts>, 'contacts'>;

/**
 * Imports the contacts of a file. The rows of the result are those that were skipped. A dry run only validates the rows and
 * sends nothing.
 * @throws CliError 1 if the file cannot be read; 2 if it has no column with phone numbers or identities, or an option does not
 * fit
 */
export async function importContacts(session: Session, [file = '']: readonly string[], options: Options): Promise<Result> {
  const wanted = readWanted((options.map as string[] | undefined) ?? [], contactColumns);
  const numbers = await numberReader(options.country as string | undefined);
  const input = await openInput(file, kind, session.world, options, (cells) => isHeading(cells, wanted, contactColumns));
  const { source } = input;
  checkColumns(source, wanted, contactColumns);
  const mapper = new RowMapper(wanted, contactColumns);
  const fullNameHeader = fullNames(mapper, wanted);
  const toContact = (row: ResultRow) => {
    const mapped = mapper.map(row);
    if (typeof mapped.first_name === 'string' && fullNameHeader(row) !== undefined)
      Object.assign(mapped, dividedName(mapped.first_name, mapped.company));
    if (typeof mapped.phone_number === 'string') mapped.phone_number = numbers.read(mapped.phone_number);
    return mapped;
  };
  const prepare = preparation(toContact, (mapped) =>
    typeof mapped?.phone_number === 'string' ? numbers.flawOf(mapped.phone_number) : undefined,
  );
  const run = options.dryRun ? await checkingRun(session, source, prepare, options) : await importingRun(session, input, prepare, options);
  const divided = fullNameHeader(Object.fromEntries(source.headers.map((header) => [header, header])));
  const note =
    divided === undefined ? '' : `${divided} is split into first_name and last_name; --map '${divided}=first_name' keeps it whole.`;
  const opening = [mappingNote(source.headers, wanted, contactColumns), note, ...run.opening].filter((each) => each !== '');
  return await startRun(session, input, { ...run, opening });
}

/** Finds the column of a row that holds whole names, unless the row has last names, or `--map` says where names are. */
function fullNames(mapper: RowMapper, wanted: readonly Wanted[]): (row: ResultRow) => string | undefined {
  const isMapped = wanted.some(({ field }) => field === 'first_name' || field === 'last_name');
  return (row) => {
    if (isMapped || mapper.headersOf(row, 'last_name').length > 0) return undefined;
    return mapper.headersOf(row, 'first_name').find((header) => /^(full|display)?name$/.test(plain(header)));
  };
}

/** Imports the rows in calls of up to 500, and reads ahead during each call. */
async function importingRun(session: Session, input: ImportInput, prepare: Prepare, options: Options): Promise<ImportRun> {
  const client = await session.targets.client();
  const rejects = await openRejects(session, input, options);
  const settings = definedFields({ on_duplicate: options.onDuplicate, defaultChannel: options.defaultChannel }) as ImportSettings;
  const ignored = new IgnoredFields(client, settings);
  const send: Send = async (rows) => {
    const contacts = rows.map(({ mapped }) => mapped);
    const answer = await client.call(contract.importContacts, { body: { contacts, ...settings } });
    await ignored.notice(contacts, answer);
    return { taken: answer.imported, refused: new Map(answer.skipped.map(({ index, ...why }) => [rows[index]?.row ?? 0, why])) };
  };
  const calls = new Calls(prepare, send, session.world.interrupted);
  const tally = new Tally(settings.on_duplicate === 'update');
  return {
    steps: calls.make(input.source.rows, (options.fromRow as number | undefined) ?? 1),
    rejects,
    showsDuplicates: false,
    opening: [],
    tally,
    field: 'skipped',
    shownRow,
    totals: () => tally.imported,
    progress: () => tally.importingText,
    closing: () => [tally.importedText, ...ignored.remarks, ...countryHints(tally, options)],
  };
}

async function checkingRun({ targets }: Session, source: Source, prepare: Prepare, options: Options): Promise<ImportRun> {
  const { fromRow = 1, defaultChannel = 'chatapp' } = options as { fromRow?: number; defaultChannel?: string };
  const tally = new Tally();
  // A file can be checked without a key and without a connection, then without the country of the account.
  const country =
    options.country === undefined
      ? await targets
          .client()
          .then(defaultCountry)
          .catch(() => null)
      : null;
  return {
    steps: checkContacts(source.rows, fromRow, defaultChannel, prepare, country),
    rejects: null,
    showsDuplicates: true,
    opening: ['Only the file is checked, not whether the contacts exist already.'],
    tally,
    field: 'skipped',
    shownRow,
    totals: () => tally.checked,
    progress: () => tally.checkedText,
    closing: () => [tally.checkedText, ...countryHints(tally, options)],
  };
}

function countryHints({ hasNationalNumbers }: Tally, { country }: Options): string[] {
  if (!hasNationalNumbers || country !== undefined) return [];
  return [
    'Numbers without a country code were rejected. --country says which country they belong to, for example --country DE for Germany.',
  ];
}

/** A skipped row for output. If the row is not an object, shows all of it. */
function shownRow({ row, line, mapped, original, code, reason }: SkippedRow): ResultRow {
  return { row, line, phone_number: mapped ? (mapped.phone_number ?? null) : original, identity: mapped?.identity ?? null, code, reason };
}
