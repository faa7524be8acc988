import { createSubAccount, listSubAccounts } from '../../../contract/areas/accounts/endpoints.ts';
import { DryRun, InterfaceError } from '../../../client/errors.ts';
import { email, name } from '../../../contract/fields.ts';
import { problemOf } from '../../../contract/issues.ts';
import { counted } from '../../../contract/text/counted.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { toCliError } from '../../explain.ts';
import { requestList, type Result, wholeList } from '../../output/result.ts';
import { openInput } from '../../rows/input.ts';
import type { Session } from '../../verb/noun.ts';
import * as z from 'zod';

const kind = { list: 'sub_accounts' } as const;

/** A row of the file: an account to create. */
const rowSchema = z.object({ name: name(), email: email().optional() });

interface Row {
  readonly number: number;
  readonly fields: z.output<typeof rowSchema>;
}

/**
 * Creates a sub-account for each row of a file with the columns `name` and `email`. Names that exist are left alone, so that the command
 * can be repeated when it was interrupted.
 * @throws CliError 1 if the file cannot be read, 2 if a row is wrong (nothing is created then), 8 if some were not created
 */
export async function createAccounts(session: Session, file: string): Promise<Result> {
  const rows = await readRows(session, file);
  const client = await session.targets.client();
  const known = new Map((await client.all(listSubAccounts, {})).map((account) => [account.name, account]));
  const results: object[] = [];
  const failures: object[] = [];
  const unsent: DryRun['request'][] = [];
  for (const { number, fields } of rows) {
    const existing = known.get(fields.name);
    if (existing) {
      results.push({ ...existing, created: false });
      continue;
    }
    try {
      const { sub_account: account } = await client.call(createSubAccount, { body: fields });
      known.set(account.name, account);
      results.push({ ...account, created: true });
    } catch (error) {
      if (error instanceof DryRun) unsent.push(error.request);
      else if (error instanceof InterfaceError && error.status !== 401)
        failures.push({ row: number, name: fields.name, message: toCliError(error).message });
      else throw error;
    }
  }
  if (unsent.length > 0) return requestList(unsent);
  const skipped = results.filter((each) => !(each as { created: boolean }).created).length;
  if (skipped > 0) session.notes.say(`${counted(skipped, 'account')} existed already, and ${skipped === 1 ? 'is' : 'are'} as before.`);
  const failure =
    failures.length === 0
      ? null
      : new CliError(exitCodes.partlyFailed, 'partly_failed', `${failures.length} of ${counted(rows.length, 'account')} failed.`, {
          hint: 'The same command creates those that are missing.',
          details: { failures },
        });
  return { ...wholeList('sub_accounts', results), columns: ['id', 'name', 'email', 'balance', 'created'], failure };
}

async function readRows({ world, notes }: Session, file: string): Promise<Row[]> {
  const { source } = await openInput(file, kind, world, {}, (cells) => cells.some((cell) => cell.trim().toLowerCase() === 'name'));
  const rows: Row[] = [];
  const flaws: string[] = [];
  const ignored = new Set<string>();
  for await (const { value, flaw } of source.rows) {
    const number = rows.length + flaws.length + 1;
    const cells = Object.entries(value ?? {}).map(
      ([header, cell]) => [header.trim().toLowerCase(), cell === '' ? undefined : cell] as const,
    );
    for (const [header] of cells) if (!Object.hasOwn(rowSchema.shape, header)) ignored.add(header);
    const read = rowSchema.safeParse(Object.fromEntries(cells));
    if (read.success && flaw === undefined) rows.push({ number, fields: read.data });
    else flaws.push(`Row ${number}: ${flaw ?? problemsOf(read.error)}`);
  }
  if (flaws.length > 0)
    throw usageError(`${file} has ${counted(flaws.length, 'row')} that cannot be used: nothing was created`, flaws.slice(0, 10));
  if (ignored.size > 0) notes.say(`Columns that accounts do not have are left out: ${[...ignored].join(', ')}.`);
  if (rows.length === 0) throw usageError(`${file} has no rows`, 'It needs a column `name`, and can have a column `email`.');
  return rows;
}

function problemsOf(error: z.ZodError | undefined): string {
  return (error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${problemOf(issue)}`).join(', ');
}
