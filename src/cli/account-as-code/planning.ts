import { existsSync } from 'node:fs';
import { isDirectory } from '../../account-as-code/files/folder.ts';
import { type OpenFolder, openFolder } from '../../account-as-code/files/read.ts';
import type { Variables } from '../../account-as-code/files/variables.ts';
import { unfinishedActivations } from '../../account-as-code/run/runs.ts';
import { kinds } from '../../account-as-code/kinds.ts';
import { knownConfiguration } from '../../account-as-code/unknown-fields.ts';
import { readLive, type Live } from '../../account-as-code/live.ts';
import { isEmpty, type Plan } from '../../account-as-code/plan/plan.ts';
import type { IdInCopy } from './plan-on-copy.ts';
import { makePlan, plannedKinds } from '../../account-as-code/planner/planner.ts';
import { routingKindsOf } from '../../account-as-code/planner/routing.ts';
import { findObstacles } from '../../account-as-code/planner/obstacles.ts';
import { FilesError, inFolder } from '../../account-as-code/planner/problems.ts';
import type { Client } from '../../client/client.ts';
import { getMe } from '../../contract/areas/whoami/endpoints.ts';
import { join } from 'node:path';
import type { Options, Session } from '../verb/noun.ts';
import { CliError, type ExitCode, exitCodes, usageError } from '../errors.ts';
import { makeFolder } from '../files/make-folder.ts';
import { platformDataDirectory } from '../files/directories.ts';
import { Journals } from './journals.ts';
import { kindsOf, readBaseRoot } from './options.ts';
import { importPrices } from './prices.ts';
import { noteUnused, readVariables, type VariablesFile } from './variables-file.ts';

/** A plan and the state that it is based on. */
export interface Planned {
  readonly plan: Plan;
  readonly live: Live;
  /** Plans the changes for another account: the copy for a rehearsal. Undefined for a saved plan. */
  readonly planFor?: (live: Live, idOf: IdInCopy) => Plan;
}

/**
 * Plans the changes for the folder of one account.
 * @throws CliError 2 if a file is invalid, the folder is missing, or it is for another account
 */
export async function planFolder(session: Session, client: Client, folder: string, options: Options): Promise<Planned> {
  const file = await readOwnVariables(session, client, options);
  return await withFiles('', async () => {
    const files = await openFiles(session, folder, options, { variables: file?.byAccount.values().next().value });
    const planned = await planFiles(session, client, files, options);
    if (file) noteUnused(file, files.usedVariables, session.notes);
    return planned;
  });
}

/** The file of `--vars`, for the account that the command acts on; undefined without the option. */
async function readOwnVariables(session: Session, client: Client, { vars }: Options): Promise<VariablesFile | undefined> {
  if (vars === undefined) return undefined;
  const { user } = await client.call(getMe, {});
  return await readVariables(vars as string, [user], session);
}

/** The files of an account that were opened, and where they are. */
export interface OpenFiles extends OpenFolder {
  readonly folder: string;
}

/**
 * Opens the files of an account.
 * @param how.above the folder that the user passed, which contains this folder or is the same
 * @param how.variables those of the account in the file of `--vars`
 * @throws FilesError if a file is not valid YAML; CliError 2 if the folder is missing, or `--vars` is given for a folder of one account
 */
export async function openFiles(
  session: Session,
  folder: string,
  options: Options,
  { above = folder, variables }: { readonly above?: string; readonly variables?: Variables | undefined } = {},
): Promise<OpenFiles> {
  const root = readBaseRoot(requireFolder(above), options, above !== folder);
  const env = session.targets.secretEnvironment(session.world.env);
  const included = kindsOf(options, 'with') ?? new Set();
  const opened = await openFolder(folder, { env, included, root, ...(variables && { variables }) });
  if (options.vars !== undefined && opened.account !== undefined)
    throw usageError(
      `--vars is for files of several accounts, but ${folder}/account.yaml names the account ${opened.account}`,
      'Remove `account` from it, or write the variables to its `vars`.',
    );
  return { ...opened, folder };
}

/**
 * Plans the changes for files that were opened.
 * @throws FilesError if a file is invalid; CliError 2 if they are for another account
 */
export async function planFiles(session: Session, client: Client, files: OpenFiles, options: Options): Promise<Planned> {
  const only = kindsOf(options, 'only');
  const wanted = kindsOf(options, 'with') ?? new Set();
  // Validates the files while the requests are in flight. Errors in the files take precedence over failed requests.
  const ending = new AbortController();
  const names = plannedKinds(files, { only, included: wanted });
  const pruned = new Set([...files.prune, ...(kindsOf(options, 'prune') ?? [])]);
  const besides = [...routingKindsOf(names), ...names.flatMap((name) => (pruned.has(name) ? (kinds[name].references?.keptBy ?? []) : []))];
  const reading = readLive(client.until(ending.signal), names, besides);
  const settled = reading.catch(() => {});
  const wholeConfiguration = await files.configuration().catch(async (error: unknown) => {
    ending.abort();
    await settled;
    throw error;
  });
  const live = await reading;
  const configuration = knownConfiguration(wholeConfiguration, live);
  if (configuration.account !== undefined) checkAccount(configuration.account, live.account.id, `${files.folder}/account.yaml`);
  const runs = hasInactive(live) ? runJournals(session).runs(live.account.id) : [];
  const unfinished = unfinishedActivations(runs, live);
  const obstacles = await findObstacles(client, configuration.records, live, names);
  const about = { only, included: wanted, prune: kindsOf(options, 'prune'), obstacles };
  const made = makePlan(configuration, live, { ...about, unfinished });
  const plan = { ...made, notes: [...made.notes, ...(await importPrices(client, made))] };
  const planFor = (other: Live, idOf: IdInCopy) => {
    const records = configuration.records.map((record) =>
      record.id === undefined ? record : { ...record, id: idOf(record.kind, record.id) },
    );
    return makePlan({ ...configuration, records }, other, about);
  };
  return { plan, live, planFor };
}

/** Whether a record is inactive, which is rare. Only then are the journals needed to plan, and reading them takes time. */
function hasInactive({ records }: Live): boolean {
  return [...records].some(([name, own]) => kinds[name].writing.isActivatedLast && own.some(({ fields }) => fields.active === false));
}

/** @throws CliError 2 if the files or plan are for another account */
export function checkAccount(named: string, addressed: string, what: string): void {
  if (named !== addressed)
    throw usageError(
      `${what} belongs to the account ${named}, but the command acts on ${addressed}`,
      'Choose the account with --profile or --sub-account. `account` is the id of an account, not its name.',
    );
}

/** @throws CliError 2 if the folder does not exist */
export function requireFolder(folder: string): string {
  if (folder === '') throw usageError('The name of the folder is empty', 'Give the folder with the files of the account.');
  if (isDirectory(folder)) return folder;
  if (existsSync(folder)) throw usageError(`${folder} is a file, and not a folder`, 'To apply a saved plan, use `msgctl apply`.');
  throw usageError(`There is no folder ${folder}`, '`msgctl dump DIR` creates one from the live account.');
}

/**
 * Calls `work` and turns errors in the files into a usage error.
 * @param folder the path of the files, relative to the folder that the user passed
 * @throws CliError 2 if a file is invalid
 */
export async function withFiles<Value>(folder: string, work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FilesError)) throw error;
    const { lines, problems } = new FilesError(inFolder(folder, error.problems));
    throw new CliError(exitCodes.usage, 'files', lines, { details: { problems } });
  }
}

/** The run journals for the service that a command acts on. */
export function runJournals({ world, targets }: Session): Journals {
  const { baseUrl } = targets.resolve();
  return new Journals(join(platformDataDirectory(world), 'journal'), baseUrl ?? `embedded:${targets.dataDirectory.path}`, makeFolder);
}

/** Blocked records take precedence over differences. */
export function diffExitCode(plan: Plan): ExitCode {
  if (plan.blocked.length > 0) return exitCodes.conflict;
  return isEmpty(plan) ? exitCodes.done : exitCodes.differences;
}
