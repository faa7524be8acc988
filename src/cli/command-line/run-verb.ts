import { DryRun, type ShownRequest } from '../../client/errors.ts';
import type { Account } from '../batch/accounts.ts';
import type { Batch } from '../batch/batch.ts';
import type { Journal } from '../batch/journal.ts';
import type { Options, Session, Verb } from '../command/noun.ts';
import { lostKeyError } from '../command/key-file.ts';
import { actsOnSubAccounts, isWriteVerb } from '../command/verb-options.ts';
import { confirm, describeTarget } from '../command/confirm.ts';
import { detailsOf, flagOf } from '../command/fields.ts';
import { Names } from '../command/names.ts';
import type { Said } from '../command/own-words.ts';
import { TextFromStdin } from '../command/stdin.ts';
import { camelCase, orUsageError } from '../command/values.ts';
import { CliError, type ExitCode, exitCodes, usageError } from '../errors.ts';
import { flagOrVariable, type GlobalOptions, readGlobalOptions, selectsFromAnswer } from '../global-options.ts';
import { Notes } from '../output/notes.ts';
import { noRowsError } from '../output/format-errors.ts';
import { print } from '../output/print.ts';
import { exitCodeOf, type Result, type Row } from '../output/result.ts';
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
  /** The whole command line, for the journal of a batch. */
  readonly argv: readonly string[];
  /** The command that creates the first record of an empty list; undefined when there is none. */
  readonly creation: () => string | undefined;
  /** The batch that is resumed; undefined for a new command. */
  readonly resumed: Journal | undefined;
  readonly resume: Session['resume'];
}

/**
 * Runs a verb and prints its result.
 * @throws CliError, and whatever the verb throws
 */
export async function runVerb(invocation: Invocation, givenWorld: World): Promise<ExitCode> {
  const { words, values, options, resumed } = invocation;
  const watch = options.watch === undefined ? null : (await import('../command/watch.ts')).openWatch(words, options.watch, givenWorld);
  const world = watch?.world ?? givenWorld;
  const globals = readGlobalOptions(invocation.allOptions, world.env);
  const verb = globals.output === 'table' ? withTableColumns(invocation.verb) : invocation.verb;
  // With -o json, scripts read stderr too: it carries only errors unless it is a terminal.
  const notes = new Notes(world, globals.quiet || (globals.output === 'json' && !world.stderr.isTTY));
  const subAccounts = flagOrVariable(globals.subAccount, world.env, 'MSGCTL_SUB_ACCOUNT');
  const select = await makeSelection(invocation.verb, options, globals, subAccounts, notes, world);
  const targets = new Targets(world, globals, notes, { dryRun: options.dryRun === true, signal: watch?.signal });
  let batch: Batch | null = null;
  let printNotes = () => {};
  const stdin = new TextFromStdin(world, resumed?.record.stdin ?? null);
  const runOnce = async (): Promise<ExitCode> => {
    const wholeInput = resumed?.record.input ?? (await readVerbInput(verb, options, stdin, notes));
    const { input, accountId } = actsOnSubAccounts(verb) ? splitAccount(wholeInput) : { input: wholeInput, accountId: undefined };
    // The flag takes precedence over the input, and the input over the environment and the profile.
    const named = flagOrVariable(globals.subAccount ?? accountId, world.env, 'MSGCTL_SUB_ACCOUNT');
    const chosenAccounts = resumed ? openAccounts(resumed) : await chooseAccounts(verb, words, options, globals, named, targets, notes);
    const accounts = verb.actsOnAccounts ? null : chosenAccounts;
    // A query over some of the rows, or a merge of truncated lists, would give a wrong answer.
    const readsAll = (accounts !== null || selectsFromAnswer(globals)) && options.limit === undefined && options.cursor === undefined;
    const chosen = readsAll ? { ...options, all: true } : options;
    const sessionOn = (own: Targets, about: Notes): Session => ({
      world,
      globals,
      targets: own,
      notes: about,
      input,
      names: new Names(own),
      readStdin: () => stdin.take(),
      readWholeStdin: () => stdin.whole(),
      accounts: chosenAccounts,
      confirm: async (question) => {
        if (options.dryRun) return;
        const place = describePlace(verb, values, { targets, world });
        const where = accounts ? `${place}, ${(await import('../batch/accounts.ts')).describeAccounts(accounts)}` : place;
        await confirm(question, where, world, globals, options.confirm as string | undefined);
        targets.forget();
      },
      resume: invocation.resume,
    });
    const session = sessionOn(targets, notes);
    const isAnswered = options.dryRun === true || (globals.yes && !verb.wantsName) || resumed !== undefined;
    const question = isAnswered ? null : await verb.confirm?.(values, options, accounts ? null : session);
    if (question) await session.confirm(question);
    const { arguments: args = [], fields = [], options: ownOptions } = verb;
    const said = { arguments: args, fields, ownOptions, values, options };
    if (accounts) {
      const { startBatch } = await import('../batch/start-batch.ts');
      const command = { verb, options, argv: invocation.argv, input: wholeInput, stdin, resumed };
      const run = async (own: Session, limited: Options) => await carryOut(() => verb.run(own, values, limited), said);
      ({ batch, printNotes } = startBatch(accounts, command, { world, globals, notes, targets, sessionOn }, run));
    }
    const whole = batch ? batch.result(verb, chosen) : await carryOut(() => verb.run(session, values, chosen), said);
    const result = await select(whole);
    const mustArrive = verb.makesKey === true && options.keyFile === undefined && options.dryRun !== true;
    const printing = {
      format: globals.output,
      style: globals.style,
      columns: verb.shown?.columns,
      text: globals.fields || options.dryRun ? undefined : verb.text,
      drawing: globals.fields || accounts ? undefined : verb.shown?.drawing,
      emptyNote: () => emptyNote(invocation),
      wide: globals.wide,
      now: async () =>
        verb.endpoint && !options.dryRun ? await (await import('../command/present-time.ts')).presentTime(session) : world.now(),
      world,
      notes,
      pager: watch ? undefined : await choosePager(verb, globals, world),
      mustArrive,
    };
    await print(result, printing).catch((error: unknown) => {
      throw mustArrive ? lostKeyError(error as Error, whole) : error;
    });
    for (const printed of [result, whole]) if (printed.failure) throw printed.failure;
    return batch?.check() ?? exitCodeOf(result) ?? exitCodes.done;
  };
  try {
    return watch ? await watch.show(runOnce, targets) : await runOnce();
  } catch (error) {
    if (error instanceof CliError && error.exitCode === exitCodes.interrupted) await targets.leave();
    throw error;
  } finally {
    resumed?.release();
    printNotes();
    // The requests of an interrupted batch are still under way.
    await (batch ? Promise.race([targets.close(), world.interrupted]) : targets.close());
  }
}

/** The pager for what a verb prints. A verb that changes something has none: quitting it must not stop the work. */
async function choosePager(verb: Verb, { pager, output, wide }: GlobalOptions, world: World): Promise<string | undefined> {
  if (!pager || output !== 'table' || !world.stdout.isTTY || isWriteVerb(verb)) return undefined;
  return (await import('../output/pager.ts')).pagerCommand(world, wide);
}

/** The verb with the columns of its table. */
function withTableColumns(verb: Verb): Verb {
  const { shown } = verb;
  return shown?.table ? { ...verb, shown: { ...shown, columns: shown.table } } : verb;
}

/** The accounts of a batch that is resumed. */
function openAccounts(journal: Journal): readonly Account[] {
  return journal.open.map(({ id, name }) => ({ id: id ?? undefined, name }));
}

/** What to do about an empty list. */
function emptyNote({ verb, words, options, creation }: Invocation): string {
  const isFiltered = (verb.fields ?? []).some((field) => options[camelCase(flagOf(detailsOf(field)))] !== undefined);
  if (isFiltered) return 'Nothing matches.';
  const first = creation();
  const rows = verb.shown?.rows ?? verb.endpoint?.rows ?? 'rows';
  // The interface calls some lists only data; the command has their name.
  const what =
    rows === 'data'
      ? words
          .replace(/ list$/, '')
          .split(' ')
          .at(-1)
      : rows.replaceAll('_', ' ');
  return `There are no ${what} yet.${first === undefined ? '' : ` Create the first: ${first}`}`;
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
  const leavesKeyOut = selected !== undefined && fields !== 'all' && !selected.includes('api_key');
  if (leavesKeyOut && verb.makesKey && options.keyFile === undefined && !options.dryRun)
    throw usageError('The new key would be lost: it is shown only once', 'Select api_key too, or write the key to a file with --key-file.');
  if (fields) {
    const [{ checkFields, selectFields, showAllFields }, { allFields, shownFields }] = await Promise.all([
      import('../output/fields.ts'),
      import('../command/shown-fields.ts'),
    ]);
    if (!verb.shown && !verb.writes)
      throw usageError('This command prints a document without fields', 'Select from it with --query or --jq.');
    if (fields === 'all')
      return (result) => (verb.shown && !verb.shown.hasOwnColumns ? showAllFields(result, verb.shown.columns, allFields(verb)) : result);
    // Answers merged from several accounts have this column too.
    const isMerged = actsOnSubAccounts(verb) && subAccounts !== undefined && (await namesSeveralAccounts(subAccounts));
    const ofDryRun = options.dryRun ? (verb.dryRunColumns ?? []) : [];
    if (verb.shown) checkFields(fields, [...shownFields(verb), ...ofDryRun, ...(isMerged ? ['sub_account_id', 'sub_account'] : [])]);
    return (result) => selectFields(result, fields);
  }
  if (query !== undefined) return (await import('../output/query.ts')).compileQuery(query, notes);
  if (jq !== undefined) return await (await import('../output/jq.ts')).compileJq(jq, world, notes);
  // Checked before the request is sent.
  if (verb.writes && !verb.shown && !options.paginate && (output === 'csv' || output === 'tsv')) throw noRowsError(output);
  return (result) => result;
}

async function namesSeveralAccounts(named: string): Promise<boolean> {
  const { namesSeveral } = await import('../batch/accounts.ts');
  return await orUsageError('--sub-account', () => namesSeveral(named));
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
): Promise<readonly Account[] | null> {
  if (!actsOnSubAccounts(verb)) {
    if (globals.subAccount !== undefined)
      throw usageError(`msgctl ${words} does not support sub-accounts: omit --sub-account`, 'It acts on the account of the key.');
    targets.actOn(undefined);
    return null;
  }
  if (named === undefined) return null;
  const { chooseAccounts: choose } = await import('../batch/accounts.ts');
  const { accounts, isOne } = await choose(named, targets);
  const { isForOneAccount = false } = verb;
  const option = typeof isForOneAccount === 'boolean' ? undefined : isForOneAccount.find((name) => options[name] !== undefined);
  const command = option === undefined ? `msgctl ${words}` : `msgctl ${words} --${option}`;
  if (!isOne && (isForOneAccount === true || option !== undefined))
    throw usageError(`${command} acts on one account at a time`, 'Run it once for each account.');
  if (accounts.length === 0) notes.say('The account has no sub-accounts: there is nothing to do.');
  if (!isOne) return accounts;
  targets.actOn(accounts[0]?.id);
  return null;
}

/** Splits the sub-account from an input, so that the client alone adds it to the request. */
function splitAccount(given: Row): { input: Row; accountId: string | undefined } {
  const { sub_account_id: accountId, ...input } = given;
  return typeof accountId === 'string' ? { input, accountId } : { input: given, accountId: undefined };
}

async function readVerbInput(verb: Verb, { input }: Options, stdin: TextFromStdin, notes: Notes): Promise<Row> {
  if (input === undefined) return {};
  const { readInput } = await import('../command/input.ts');
  return await readInput(input as string, verb.endpoint, () => stdin.take(), notes);
}

/** Where a verb acts, for a confirmation. */
function describePlace(verb: Verb, values: readonly string[], session: Pick<Session, 'targets' | 'world'>): string {
  if (verb.place) return verb.place(values, session);
  const { targets } = session;
  return verb.isSandbox ? targets.describeSandbox() : describeTarget(targets.resolve());
}

/**
 * Runs a verb; in a dry run, returns the request instead of the answer.
 * @throws whatever the verb throws, in the words of the command line
 */
async function carryOut(run: () => Promise<Result>, said: Said): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof DryRun) return { kind: 'document', document: error.request, text: requestText(error.request) };
    throw (await import('../command/own-words.ts')).inOwnWords(error, said);
  }
}

function requestText({ method, url, headers, body }: ShownRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const content = body === null ? '' : `\n${typeof body === 'string' ? body : JSON.stringify(body, null, 2)}\n`;
  return `${method} ${url}\n${lines.join('\n')}\n${content}`;
}
