import { getSubAccount, listSubAccounts } from '../../../contract/areas/accounts/endpoints.ts';
import { getMe } from '../../../contract/areas/whoami/endpoints.ts';
import { inParallel } from '../../../contract/in-parallel.ts';
import { counted } from '../../../contract/text/counted.ts';
import { utcDate } from '../../../contract/time/days.ts';
import type { Client } from '../../../client/client.ts';
import { InterfaceError } from '../../../client/errors.ts';
import { type Failure, failureOf } from '../../batch/failures.ts';
import { retryingWhenLimited, untilInterrupted } from '../../exports/steps.ts';
import { type FirstDays, firstDaysOf } from '../../figures/first-days.ts';
import { Progress, type ProgressPart } from '../../output/progress.ts';
import type { Session } from '../../verb/noun.ts';
import type { AccountRecord, Dataset, Reading } from './dataset.ts';
import type { ExportStore } from './store.ts';

/** Maximum number of accounts that are read at the same time. */
const accountsAtOnce = 4;

/** An account to export. */
interface Account {
  /** Undefined for the key's own account. */
  readonly id: string | undefined;
  /** Null if it is unknown. */
  readonly name: string | null;
}

/** What is exported. */
export interface Job {
  readonly session: Session;
  readonly accounts: readonly Account[];
  readonly datasets: readonly Dataset[];
  readonly store: ExportStore;
  /** The time of the service, in epoch milliseconds. */
  readonly now: number;
}

/** What could not be read. */
export interface ReadFailure extends Failure {
  /** Null for all of the account. */
  readonly dataset: string | null;
}

/** The work on an account, as the progress shows it. */
interface Lane {
  readonly name: string;
  dataset: string;
  done: number;
  rows: number;
}

/**
 * Reads what is new or has changed of all datasets of all accounts, and writes it to the store.
 * @returns the failures: what could not be read of an account does not keep the others from being exported
 * @throws the errors after which nothing else could be read either
 */
export async function readAll(job: Job): Promise<ReadFailure[]> {
  return await new ExportRun(job).read();
}

class ExportRun {
  readonly #job: Job;
  readonly #progress: Progress;
  readonly #lanes = new Set<Lane>();
  readonly #failures: ReadFailure[] = [];
  #names: ReadonlyMap<string, string> | undefined;
  /** The datasets of accounts that are exported. */
  #done = 0;
  #rows = 0;

  constructor(job: Job) {
    this.#job = job;
    this.#progress = new Progress(job.session.world, job.session.globals.quiet);
  }

  async read(): Promise<ReadFailure[]> {
    const { session, accounts } = this.#job;
    session.world.saveMemory();
    session.targets.pace();
    try {
      await inParallel(accounts, accountsAtOnce, async (account) => await this.#readAccount(account));
      return this.#failures;
    } finally {
      this.#progress.clear();
    }
  }

  async #readAccount(account: Account): Promise<void> {
    const { session, datasets } = this.#job;
    const client = await (await session.targets.forAccount(account.id)).client();
    const record = await this.#unlessRefused(() => this.#recordOf(client, account.id), account, null);
    const lane: Lane = { name: record?.name ?? '', dataset: '', done: 0, rows: 0 };
    this.#lanes.add(lane);
    let firstDays: FirstDays | undefined;
    // Only what was found is kept: after a wait for the rate limit, it is asked for again.
    const firstDay: Reading['firstDay'] = async (kind) => (firstDays ??= await firstDaysOf(client, utcDate(this.#job.now)))[kind];
    for (const dataset of datasets) {
      lane.dataset = dataset.name;
      const read = async () => record && (await this.#readDataset(dataset, record, client, firstDay, lane));
      await this.#unlessRefused(read, { id: account.id, name: record?.name ?? account.name }, dataset);
      lane.done++;
      this.#done++;
    }
    this.#lanes.delete(lane);
  }

  /** The result of reading; undefined if the service refuses it, which is noted. @throws the errors that are not about this only */
  async #unlessRefused<Value>(read: () => Promise<Value>, account: Account, dataset: Dataset | null): Promise<Value | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!isOfOneDataset(error)) throw error;
      if (dataset && error.status === 403 && (await this.#lacksFeature(account, dataset)))
        this.#job.session.notes.say(`${account.name ?? account.id} has no ${dataset.name}: its plan does not include them.`);
      else this.#failures.push({ ...failureOf(account, error), dataset: dataset?.name ?? null });
      return undefined;
    }
  }

  /** Whether the plan of an account does not include what a dataset is about, so that the account has nothing of it. */
  async #lacksFeature({ id }: Account, { feature }: Dataset): Promise<boolean> {
    if (feature === undefined) return false;
    const client = await (await this.#job.session.targets.forAccount(id)).client();
    const { plan } = (await client.call(getMe, {})).user;
    return !plan[feature];
  }

  async #readDataset(dataset: Dataset, account: AccountRecord, client: Client, firstDay: Reading['firstDay'], lane: Lane) {
    const { session, store, now } = this.#job;
    const { world } = session;
    const { id, name } = account;
    const { isDone, position, resume: left } = store.progressOf(id, dataset.name);
    if (isDone) return;
    store.rename(id, name, dataset.name);
    const reading = {
      ...{ client, account, since: store.subject.since, now, position, firstDay },
      nameOf: async (other: string) => (other === id ? name : ((await this.#namesOfOthers()).get(other) ?? null)),
      smallest: (column: string, conditions: Parameters<Reading['smallest']>[1]) => store.smallest(dataset.name, column, conditions),
      broadcasts: (columns: readonly string[]) =>
        store.progressOf(id, 'broadcasts').isDone ? store.rowsOfAccount('broadcasts', id, columns) : null,
    };
    const steps = retryingWhenLimited((resume) => dataset.read({ ...reading, resume }), left, world);
    for await (const step of untilInterrupted(steps, world)) {
      store.write(account, dataset, step);
      lane.rows += step.rows.length;
      this.#rows += step.rows.length;
      this.#show();
    }
  }

  /** The record of an account. Waits for the rate limit, as reading does. */
  async #recordOf(client: Client, id: string | undefined): Promise<AccountRecord> {
    const { world } = this.#job.session;
    async function* read() {
      yield { record: await recordOf(client, id), resume: {} };
    }
    for await (const { record } of untilInterrupted(retryingWhenLimited(read, undefined, world), world)) return record;
    throw new Error('An account has a record');
  }

  /** The names of the sub-accounts, by their ids; none if the key may not list them. */
  async #namesOfOthers(): Promise<ReadonlyMap<string, string>> {
    return (this.#names ??= await this.#readNames());
  }

  async #readNames(): Promise<ReadonlyMap<string, string>> {
    const known = this.#job.accounts.flatMap(({ id, name }) => (id !== undefined && name !== null ? [[id, name] as const] : []));
    const client = await (await this.#job.session.targets.forAccount(undefined)).client();
    try {
      const listed = await client.all(listSubAccounts, {});
      return new Map(listed.map(({ id, name }) => [id, name]));
    } catch (error) {
      if (error instanceof InterfaceError && error.status === 403) return new Map(known);
      throw error;
    }
  }

  #show(): void {
    const { accounts, datasets } = this.#job;
    const parts = Array.from(this.#lanes, ({ name, dataset, done, rows }): ProgressPart => {
      return { share: done / datasets.length, text: `${name}: ${dataset}, ${counted(rows, 'row')}` };
    });
    this.#progress.show(
      this.#done / (accounts.length * datasets.length),
      `${counted(accounts.length, 'account')}, ${counted(this.#rows, 'row')}`,
      parts,
    );
  }
}

/** The record of an account. The agency's record of a sub-account has its balance too. */
async function recordOf(client: Client, id: string | undefined): Promise<AccountRecord> {
  if (id !== undefined)
    try {
      const { email, balance, ...record } = (await client.actingOn(undefined).call(getSubAccount, { params: { id } })).sub_account;
      return { ...record, email, balance, kind: 'sub_account' };
    } catch (error) {
      // A scoped key acts on the account, but does not see the agency's record.
      if (!(error instanceof InterfaceError && error.status === 403)) throw error;
    }
  const { plan: _, ...user } = (await client.call(getMe, {})).user;
  return { ...user, kind: id === undefined ? user.kind : 'sub_account', balance: null };
}

/** Whether an error is about one dataset of one account, so that others can be read. */
function isOfOneDataset(error: unknown): error is InterfaceError {
  return error instanceof InterfaceError && error.status >= 400 && error.status < 500 && error.status !== 401 && error.status !== 429;
}
