import { DryRun, type ShownRequest } from '../../client/errors.ts';
import { actsOnSubAccounts, isWriteVerb, makesKey, type Options, type Session, type Verb } from './command.ts';
import { confirm, describeTarget } from './confirm.ts';
import { type ExitCode, exitCodes, usageError } from '../errors.ts';
import { type GlobalOptions, readGlobalOptions } from './global-options.ts';
import { Notes } from '../output/notes.ts';
import { print } from '../output/print.ts';
import { exitCodeOf, type Result, type Row } from '../output/result.ts';
import type { Accounts } from './sub-accounts.ts';
import { Targets } from '../target/targets.ts';
import type { World } from '../world.ts';

/** A verb as the command line names it. */
export interface Invocation {
  readonly verb: Verb;
  /** The noun and the verb, for messages. */
  readonly words: string;
  readonly values: readonly string[];
  /** Those of the verb. */
  readonly options: Options;
  /** Those of the verb, and the global ones. */
  readonly allOptions: Options;
}

/**
 * Runs a verb, and prints what it answers.
 * @throws CliError, and whatever the verb throws
 */
export async function runVerb(invocation: Invocation, world: World): Promise<ExitCode> {
  const { verb, words, values, options } = invocation;
  const globals = readGlobalOptions(invocation.allOptions, world.env);
  // With -o json stderr carries nothing but an error, unless a person reads it.
  const notes = new Notes(world, globals.quiet || (globals.output === 'json' && !world.stderr.isTTY));
  const select = await selection(verb, options, globals, globals.subAccount ?? world.env.MSGCTL_SUB_ACCOUNT, notes);
  const targets = new Targets(world, globals, notes, { dryRun: options.dryRun === true });
  try {
    const given = await inputOf(verb, options, world, notes);
    const { input, accountId } = actsOnSubAccounts(verb) ? takeAccount(given) : { input: given, accountId: undefined };
    // A flag wins over the input, and that over what the environment or the profile remembers.
    const named = globals.subAccount ?? accountId ?? (world.env.MSGCTL_SUB_ACCOUNT || undefined);
    const accounts = await chooseAccounts(verb, words, options, globals, named, targets);
    // A part of the rows would make a wrong answer of a query, and of several lists merged.
    const isWhole = (accounts !== null || globals.query !== undefined) && options.limit === undefined && options.cursor === undefined;
    const chosen = isWhole ? { ...options, all: true } : options;
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
    const result = await select(accounts ? accounts.runOnEach(verb, chosen, run) : await run(chosen));
    await print(result, { format: globals.output, columns: verb.shown?.columns, world, notes });
    if (result.kind === 'document' && result.failure) throw result.failure;
    return accounts?.check() ?? exitCodeOf(result) ?? exitCodes.done;
  } finally {
    await targets.close();
  }
}

/**
 * What `--fields` and `--query` leave of an answer; known to be right before anything is done.
 * @throws CliError 2 when they cannot be right
 */
async function selection(
  verb: Verb,
  options: Options,
  { fields, query, output }: GlobalOptions,
  subAccounts: string | undefined,
  notes: Notes,
): Promise<(result: Result) => Result | Promise<Result>> {
  const leavesKeyOut = fields ? !fields.includes('api_key') : query !== undefined && !query.includes('api_key');
  if (leavesKeyOut && makesKey(verb) && options.keyFile === undefined && !options.dryRun)
    throw usageError('The new key would not be shown, and it is shown only once', 'Select api_key too, or write it to a --key-file.');
  if (fields) {
    const { checkFields, fieldsOf, selectFields } = await import('../output/fields.ts');
    // Merged answers carry it.
    const account = actsOnSubAccounts(verb) && /,|^all$/.test(subAccounts ?? '') ? ['sub_account_id'] : [];
    if (verb.shown) checkFields(fields, [...fieldsOf(verb), ...account]);
    else if (!verb.writes) throw usageError('This prints a document, which has no fields', 'Pick out of it with --query.');
    return (result) => selectFields(result, fields);
  }
  if (query !== undefined) return (await import('../output/query.ts')).compileQuery(query, notes);
  // Known before anything is sent.
  if (verb.writes && !verb.shown && (output === 'csv' || output === 'tsv'))
    throw usageError(`This prints a document, which has no form as ${output}`, 'Use -o json or yaml, or pick rows out of it with --query.');
  return (result) => result;
}

/**
 * Decides on which account the verb acts.
 * @returns the accounts, where it is to run on several
 * @throws CliError 2 when the verb acts on no sub-account
 */
async function chooseAccounts(
  verb: Verb,
  words: string,
  options: Options,
  globals: GlobalOptions,
  named: string | undefined,
  targets: Targets,
): Promise<Accounts | null> {
  if (!actsOnSubAccounts(verb)) {
    if (globals.subAccount !== undefined)
      throw usageError(`msgctl ${words} acts on no sub-account: leave out --sub-account`, 'It concerns the account of the key itself.');
    targets.actOn(undefined);
    return null;
  }
  if (named === undefined) return null;
  const { Accounts } = await import('./sub-accounts.ts');
  const accounts = await Accounts.read(named, targets, options.dryRun === true);
  if (accounts.only === null && verb.isForOneAccount)
    throw usageError(`msgctl ${words} acts on one account at a time`, 'Run it once for each.');
  if (accounts.only === null) return accounts;
  targets.actOn(accounts.only.id);
  return null;
}

/** Takes the sub-account out of an input: it is named in one place only. */
function takeAccount(given: Row): { input: Row; accountId: string | undefined } {
  const { sub_account_id: accountId, ...input } = given;
  return typeof accountId === 'string' ? { input, accountId } : { input: given, accountId: undefined };
}

async function inputOf(verb: Verb, { input }: Options, world: World, notes: Notes): Promise<Row> {
  if (input === undefined || !isWriteVerb(verb)) return {};
  const { readInput } = await import('./input.ts');
  return await readInput(input as string, verb.endpoint, world, notes);
}

/** Where a verb acts, for a confirmation. */
function describePlace(verb: Verb, targets: Targets): string {
  if (verb.isSandbox) return targets.describeSandbox();
  return verb.endpoint ? describeTarget(targets.resolve()) : targets.profiles.file;
}

/** In a dry run, the request in the place of the answer. */
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
