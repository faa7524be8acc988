import { InterfaceError, lacksEndpoint } from '../../../client/errors.ts';
import { getOverview, severities } from '../../../contract/areas/agency/endpoints.ts';
import { type Attention, severityOf } from '../../../contract/areas/agency/severity.ts';
import { inParallel } from '../../../contract/in-parallel.ts';
import { compareTexts } from '../../../contract/text/compare-texts.ts';
import { type Failure, failureOf, partlyFailedError } from '../../batch/failures.ts';
import { exitCodes } from '../../errors.ts';
import { type Result, wholeList } from '../../output/result.ts';
import type { Session } from '../../verb/noun.ts';
import { clientColumns } from './client-columns.ts';
import { readStatus, type Status } from './read.ts';

/** An account of an agency, as its overview has it. What a service without an overview does not tell is null. */
export interface ClientRow extends Attention {
  readonly sub_account_id: string | null;
  readonly sub_account: string | null;
  readonly webhooks: { readonly total: number; readonly off: number; readonly disabled: number; readonly failing: number } | null;
  readonly channels: { readonly total: number; readonly disconnected: number } | null;
  readonly last_message_at: string | null;
  readonly severity: (typeof severities)[number];
}

type Accounts = NonNullable<Session['accounts']>;

const accountsAtOnce = 4;

/** Shows what needs attention in some accounts of an agency, the worst first. */
export async function showClients(session: Session, accounts: Accounts, failsOn: (row: ClientRow) => Promise<boolean>): Promise<Result> {
  const failures: Failure[] = [];
  const rows = inOrder((await readOverview(session, accounts)) ?? (await readEach(session, accounts, failures)));
  const failure = failures.length === 0 ? null : partlyFailedError(failures, accounts.length, undefined, false);
  let hasMet = false;
  for (const row of rows) hasMet ||= await failsOn(row);
  return { ...wholeList('accounts', rows), columns: clientColumns, failure, ...(hasMet && { exitCode: exitCodes.differences }) };
}

function inOrder(rows: readonly ClientRow[]): ClientRow[] {
  const rank = ({ severity }: ClientRow) => severities.indexOf(severity);
  return rows.toSorted((a, b) => rank(a) - rank(b) || compareTexts(a.sub_account ?? '', b.sub_account ?? ''));
}

/** The accounts by the overview of the agency, a hundred in a request; null where there is none for this key. */
async function readOverview(session: Session, accounts: Accounts): Promise<ClientRow[] | null> {
  const ids = new Set(accounts.map(({ id }) => id));
  // The overview has no row for the agency itself.
  if (ids.has(undefined)) return null;
  const client = await session.targets.client();
  try {
    const rows = await client.all(getOverview, {});
    return rows
      .filter(({ account_id: id }) => ids.has(id))
      .map(({ account_id, name, ...row }) => ({ sub_account_id: account_id, sub_account: name, ...row }));
  } catch (error) {
    if (lacksEndpoint(error)) session.notes.say('This service has no overview of an agency: its accounts are read one by one.');
    else if (!(error instanceof InterfaceError && error.status === 403)) throw error;
    return null;
  }
}

async function readEach(session: Session, accounts: Accounts, failures: Failure[]): Promise<ClientRow[]> {
  const rows = await inParallel(accounts, accountsAtOnce, async (account) => {
    try {
      const targets = await session.targets.forAccount(account.id);
      return clientRow(await readStatus({ ...session, targets }), account);
    } catch (error) {
      failures.push(failureOf(account, error));
      return null;
    }
  });
  return rows.filter((row) => row !== null);
}

/** The status of an account as a row of an overview. */
export function clientRow(
  { account, credits, receivers, channels, keys, errors }: Status,
  { id, name }: { readonly id: string | undefined; readonly name: string | null },
): ClientRow {
  const row = {
    sub_account_id: id ?? null,
    sub_account: name ?? account.name,
    balance: credits?.balance ?? null,
    low_balance: credits?.is_low ?? false,
    webhooks: receivers && { total: receivers.total, off: receivers.off, disabled: receivers.disabled, failing: receivers.failing },
    channels: channels && { total: channels.total, disconnected: channels.disconnected },
    keys_expiring: keys?.expiring ?? null,
    imports_failed: null,
    alerts_open: null,
    errors_24h: errors?.last_day ?? null,
    last_message_at: null,
  };
  return { ...row, severity: severityOf(row) };
}
