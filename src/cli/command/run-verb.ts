import { DryRun, type ShownRequest } from '../../client/errors.ts';
import type { Options, Session, Verb } from './noun.ts';
import { lostKeyError } from './key-file.ts';
import { actsOnSubAccounts, isWriteVerb } from './verb-options.ts';
import { confirm, describeTarget } from './confirm.ts';
import { type ExitCode, exitCodes, usageError } from '../errors.ts';
import { flagOrVariable, type GlobalOptions, readGlobalOptions } from '../global-options.ts';
import { Notes } from '../output/notes.ts';
import { noRowsError } from '../output/format-errors.ts';
import { print } from '../output/print.ts';
import { exitCodeOf, type Result, type Row } from '../output/result.ts';
import type { Accounts } from './sub-accounts.ts';
import { Targets } from '../target/targets.ts';
import type { World } from '../world.ts';

/** A verb with its arguments and options. */
interface Invocation {
  readonly verb: Verb;
  /** The noun and the verb, for messages. */
  readonly words: string;
  readonly values: readonly string[];
  /** The options of the verb. */
  readonly options: Options;
  /** The options of the verb and the global ones. */
  readonly allOptions: Options;
}

/**
 * Runs a verb and prints its result.
 * @throws CliError, and whatever the verb throws
 */
export async function runVerb(invocation: Invocation, world: World): Promise<ExitCode> {
  const { verb, words, values, options } = invocation;
  const globals = readGlobalOptions(invocation.allOptions, world.env);
  // With -o json, scripts read stderr too: it carries only errors unless it is a terminal.
  const notes = new Notes(world, globals.quiet || (globals.output === 'json' && !world.stderr.isTTY));
  const subAccounts = flagOrVariable(globals.subAccount, world.env, 'MSGCTL_SUB_ACCOUNT');
  const select = await makeSelection(verb, options, globals, subAccounts, notes, world);
  const targets = new Targets(world, globals, notes, { dryRun: options.dryRun === true });
  try {
    const wholeInput = await readVerbInput(verb, options, world, notes);
    const { input, accountId } = actsOnSubAccounts(verb) ? splitAccount(wholeInput) : { input: wholeInput, accountId: undefined };
    // The flag takes precedence over the input, and the input over the environment and the profile.
    const named = flagOrVariable(globals.subAccount ?? accountId, world.env, 'MSGCTL_SUB_ACCOUNT');
    const accounts = await chooseAccounts(verb, words, options, globals, named, targets, notes);
    // A query over some of the rows, or a merge of truncated lists, would give a wrong answer.
    const selects = globals.query !== undefined || globals.jq !== undefined;
    const readsAll = (accounts !== null || selects) && options.limit === undefined && options.cursor === undefined;
    const chosen = readsAll ? { ...options, all: true } : options;
    const session: Session = {
      world,
      globals,
      targets,
      notes,
      input,
      confirm: async (question) => {
        if (options.dryRun) return;
        const place = describePlace(verb, targets);
        await confirm(question, accounts ? `${place}, ${accounts.description}` : place, world, globals);
        targets.forget();
      },
    };
    if (verb.confirm) await session.confirm(verb.confirm(values, options));
    const run = (limited: Options) => orShowRequest(() => verb.run(session, values, limited));
    const whole = accounts ? accounts.runOnEach(verb, chosen, run) : await run(chosen);
    const result = await select(whole);
    const mustArrive = verb.makesKey === true && options.keyFile === undefined && options.dryRun !== true;
    const pager = await choosePager(verb, globals, world);
    await print(result, { format: globals.output, columns: verb.shown?.columns, world, notes, pager, mustArrive }).catch(
      (error: unknown) => {
        throw mustArrive ? lostKeyError(error as Error, whole) : error;
      },
    );
    for (const printed of [result, whole]) if (printed.kind === 'document' && printed.failure) throw printed.failure;
    return accounts?.check() ?? exitCodeOf(result) ?? exitCodes.done;
  } finally {
    await targets.close();
  }
}

/** The pager for what a verb prints. A verb that changes something has none: quitting it must not stop the work. */
async function choosePager(verb: Verb, { pager, output }: GlobalOptions, world: World): Promise<string | undefined> {
  if (!pager || output !== 'table' || !world.stdout.isTTY || isWriteVerb(verb)) return undefined;
  return (await import('../output/pager.ts')).pagerCommand(world);
}

/**
 * Creates the function that applies `--fields`, `--query` or `--jq` to a result. Checks them before a request is sent.
 * @throws CliError 2 when they do not fit the verb
 */
async function makeSelection(
  verb: Verb,
  options: Options,
  { fields, query, jq, output }: GlobalOptions,
  subAccounts: string | undefined,
  notes: Notes,
  world: World,
): Promise<(result: Result) => Result | Promise<Result>> {
  const selected = fields ?? query ?? jq;
  const leavesKeyOut = selected !== undefined && !selected.includes('api_key');
  if (leavesKeyOut && verb.makesKey && options.keyFile === undefined && !options.dryRun)
    throw usageError('The new key would be lost: it is shown only once', 'Select api_key too, or write the key to a file with --key-file.');
  if (fields) {
    const [{ checkFields, selectFields }, { shownFields }] = await Promise.all([
      import('../output/fields.ts'),
      import('./shown-fields.ts'),
    ]);
    // Answers merged from several accounts have this column too.
    const account = actsOnSubAccounts(verb) && /,|^all$/.test(subAccounts ?? '') ? ['sub_account_id'] : [];
    if (verb.shown) checkFields(fields, [...shownFields(verb), ...account]);
    else if (!verb.writes) throw usageError('This command prints a document without fields', 'Select from it with --query or --jq.');
    return (result) => selectFields(result, fields);
  }
  if (query !== undefined) return (await import('../output/query.ts')).compileQuery(query, notes);
  if (jq !== undefined) return await (await import('../output/jq.ts')).compileJq(jq, world, notes);
  // Checked before the request is sent.
  if (verb.writes && !verb.shown && (output === 'csv' || output === 'tsv')) throw noRowsError(output);
  return (result) => result;
}

/**
 * Chooses the account that the verb acts on.
 * @returns the accounts when it runs on several, otherwise null
 * @throws CliError 2 when the verb does not support sub-accounts, or not several of them
 */
async function chooseAccounts(
  verb: Verb,
  words: string,
  options: Options,
  globals: GlobalOptions,
  named: string | undefined,
  targets: Targets,
  notes: Notes,
): Promise<Accounts | null> {
  if (!actsOnSubAccounts(verb)) {
    if (globals.subAccount !== undefined)
      throw usageError(`msgctl ${words} does not support sub-accounts: omit --sub-account`, 'It acts on the account of the key.');
    targets.actOn(undefined);
    return null;
  }
  if (named === undefined) return null;
  const { Accounts } = await import('./sub-accounts.ts');
  const accounts = await Accounts.read(named, targets, options.dryRun === true, notes);
  if (accounts.only === null && verb.isForOneAccount)
    throw usageError(`msgctl ${words} acts on one account at a time`, 'Run it once for each account.');
  if (accounts.only === null) return accounts;
  targets.actOn(accounts.only.id);
  return null;
}

/** Splits the sub-account from an input, so that the client alone adds it to the request. */
function splitAccount(given: Row): { input: Row; accountId: string | undefined } {
  const { sub_account_id: accountId, ...input } = given;
  return typeof accountId === 'string' ? { input, accountId } : { input: given, accountId: undefined };
}

async function readVerbInput(verb: Verb, { input }: Options, world: World, notes: Notes): Promise<Row> {
  if (input === undefined) return {};
  const { readInput } = await import('./input.ts');
  return await readInput(input as string, verb.endpoint, world, notes);
}

/** Where a verb acts, for a confirmation. */
function describePlace(verb: Verb, targets: Targets): string {
  if (verb.isSandbox) return targets.describeSandbox();
  return verb.endpoint ? describeTarget(targets.resolve()) : targets.profiles.file;
}

/** Runs a call; in a dry run, returns the request instead of the answer. */
async function orShowRequest(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof DryRun)) throw error;
    return { kind: 'document', document: error.request, text: requestText(error.request) };
  }
}

function requestText({ method, url, headers, body }: ShownRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const content = body === null ? '' : `\n${typeof body === 'string' ? body : JSON.stringify(body, null, 2)}\n`;
  return `${method} ${url}\n${lines.join('\n')}\n${content}`;
}
