import type { Account } from '../batch/accounts.ts';
import type { Batch } from '../batch/batch.ts';
import type { BatchFile } from '../batch/batch-files.ts';
import { confirm, describeTarget } from '../verb/confirm.ts';
import { lostKeyError } from '../verb/key-file.ts';
import { Names } from '../verb/names.ts';
import type { Options, Program, Session, Verb } from '../verb/noun.ts';
import { TextFromStdin } from '../verb/stdin.ts';
import { actsOnSubAccounts, isSandboxVerb, isWriteVerb } from '../verb/verb-options.ts';
import type { Watch } from '../verb/watch.ts';
import { CliError, type ExitCode, exitCodes } from '../errors.ts';
import { arranges, flagOrVariable, type GlobalOptions, readGlobalOptions, selectsFromAnswer } from '../global-options.ts';
import { Notes } from '../output/notes.ts';
import { print } from '../output/print.ts';
import { exitCodeOf, type Result, type ResultRow } from '../output/result.ts';
import type { Selection } from '../output/selection.ts';
import { sandboxName } from '../profiles/profiles.ts';
import { isTable } from '../rows/is-table.ts';
import { Targets } from '../connection/targets.ts';
import type { World } from '../world.ts';
import { runOrShowRequest } from './run-or-show-request.ts';
import { chooseAccounts, openAccounts, splitAccount } from './choose-accounts.ts';
import { emptyNote } from './empty-note.ts';
import { makeSelection } from './make-selection.ts';

/** A verb with its arguments and options. */
interface Invocation {
  readonly verb: Verb;
  /** The noun and the verb, for messages. */
  readonly words: string;
  readonly values: readonly string[];
  /** The options of the verb, without global ones. */
  readonly options: Options;
  /** The options of the verb and the global ones. */
  readonly allOptions: Options;
  /** The complete command line, for the file of a batch. */
  readonly argv: readonly string[];
  /** The command to suggest for an empty list, which creates a record; undefined if there is none. */
  readonly creation: () => string | undefined;
  /** The file of the batch that is resumed; undefined for a new command. */
  readonly resumed: BatchFile | undefined;
  readonly resume: Session['resume'];
  readonly program: Program;
}

/**
 * Runs a verb and prints its result.
 * @throws CliError and the errors of the verb
 */
export async function runVerb(invocation: Invocation, world: World): Promise<ExitCode> {
  const { words, options } = invocation;
  const verb = invocation.verb.instead?.(options) ?? invocation.verb;
  const isRepeated = verb.watches && options.watch !== undefined;
  const watch = isRepeated ? (await import('../verb/watch.ts')).openWatch(words, options.watch, world) : null;
  return await new VerbRun({ ...invocation, verb }, watch, watch?.world ?? world).run();
}

/** What one run of a verb is given. */
interface RunInput {
  /** The contents of `--input`. */
  readonly wholeInput: ResultRow;
  /** The contents of `--input` without the account. */
  readonly input: ResultRow;
  /** The selected accounts; null for a single one. */
  readonly named: readonly Account[] | null;
  /** The current time of the service, read once. */
  readonly serviceTime: () => Promise<number>;
  /** The accounts for each of which the verb runs once; null for a single one, or if the verb handles several accounts itself. */
  readonly accounts: readonly Account[] | null;
}

class VerbRun {
  readonly #invocation: Invocation;
  readonly #verb: Verb;
  readonly #watch: Watch | null;
  readonly #world: World;
  readonly #globals: GlobalOptions;
  readonly #notes: Notes;
  readonly #targets: Targets;
  readonly #stdin: TextFromStdin;
  #batch: Batch | null = null;
  /** Whether the command names its account, and does not take that of the profile. */
  #isAccountGiven = false;
  #printNotes = () => {};

  constructor(invocation: Invocation, watch: Watch | null, world: World) {
    const { allOptions, options, verb, resumed } = invocation;
    const globals = withUsualPlace(verb, readGlobalOptions(allOptions, world.env, verb.documentFormats), world);
    this.#invocation = invocation;
    this.#verb = globals.output === 'table' ? withTableColumns(verb) : verb;
    this.#watch = watch;
    this.#world = world;
    this.#globals = globals;
    // With -o json, scripts read stderr too, so it contains only errors unless it is a terminal.
    this.#notes = new Notes(world, globals.quiet || (globals.output === 'json' && !world.stderr.isTTY));
    this.#targets = new Targets(world, globals, this.#notes, { dryRun: options.dryRun === true, signal: watch?.signal });
    this.#stdin = new TextFromStdin(world, resumed?.record.stdin ?? null);
  }

  async run(): Promise<ExitCode> {
    try {
      const { verb, options } = this.#invocation;
      const session = { serviceTime: () => this.#askTime(), world: this.#world };
      const select = await makeSelection(verb, options, this.#globals, this.#notes, session);
      const runOnce = () => this.#runOnce(select);
      return this.#watch ? await this.#watch.show(runOnce, this.#targets) : await runOnce();
    } catch (error) {
      if (error instanceof CliError && error.exitCode === exitCodes.interrupted) await this.#targets.leave();
      throw error instanceof CliError && error.exitCode === exitCodes.notFound ? this.#namingAccount(error) : error;
    } finally {
      this.#invocation.resumed?.release();
      this.#printNotes();
      // Requests of an interrupted batch can still be running. They are not waited for.
      await (this.#batch ? Promise.race([this.#targets.close(), this.#world.interrupted]) : this.#targets.close());
    }
  }

  /** Adds to the error for a missing record that the profile acts on a sub-account, which is easily forgotten. */
  #namingAccount(error: CliError): CliError {
    if (this.#isAccountGiven || !actsOnSubAccounts(this.#verb)) return error;
    const { profile, subAccountId } = this.#targets.resolve();
    if (subAccountId === undefined) return error;
    const where = `The profile '${profile}' acts on the sub-account ${subAccountId}: \`--sub-account own\` acts on its own account.`;
    return error.with({ hint: [...error.hintLines, where] });
  }

  async #runOnce(select: Selection): Promise<ExitCode> {
    const given = await this.#chooseAmong(await this.#readInput());
    const session = this.#sessionOn(given, this.#targets, this.#notes);
    await this.#ask(session, given);
    const whole = await this.#runVerb(session, given);
    const result = await select(whole);
    await this.#print(result, whole, given);
    for (const printed of [result, whole]) if (printed.failure) throw printed.failure;
    return this.#batch?.check() ?? exitCodeOf(result) ?? exitCodes.done;
  }

  async #readInput(): Promise<RunInput> {
    const { options, resumed } = this.#invocation;
    const verb = this.#verb;
    const wholeInput = resumed?.record.input ?? (await readVerbInput(verb, options, this.#stdin, this.#notes));
    const { input, accountId } = actsOnSubAccounts(verb) ? splitAccount(wholeInput) : { input: wholeInput, accountId: undefined };
    const { subAccount } = this.#globals;
    // The option takes precedence over the input, and the input over the environment and the profile.
    const wanted = flagOrVariable(subAccount ?? accountId, this.#world.env, 'MSGCTL_SUB_ACCOUNT');
    this.#isAccountGiven = wanted !== undefined || resumed !== undefined;
    const named = resumed ? openAccounts(resumed) : await chooseAccounts(this.#invocation, subAccount, wanted, this.#targets, this.#notes);
    let time: Promise<number> | undefined;
    const serviceTime = () => (time ??= this.#askTime());
    return { wholeInput, input, named, serviceTime, accounts: verb.scope === 'all accounts' ? null : named };
  }

  /** Lets a verb choose its accounts itself. A batch that is resumed has its accounts already. */
  async #chooseAmong(given: RunInput): Promise<RunInput> {
    const { options, values, resumed } = this.#invocation;
    if (!this.#verb.among || resumed) return given;
    const accounts = await this.#verb.among({ session: this.#sessionOn(given, this.#targets, this.#notes), values, options });
    return { ...given, named: accounts, accounts };
  }

  async #askTime(): Promise<number> {
    const { serviceTime } = await import('../verb/service-time.ts');
    return await serviceTime(this.#targets, this.#world, isSandboxVerb(this.#verb));
  }

  #sessionOn({ input, named, accounts, serviceTime }: RunInput, targets: Targets, notes: Notes): Session {
    const { options, values, resume, program } = this.#invocation;
    const world = this.#world;
    return {
      world,
      globals: this.#globals,
      targets,
      notes,
      input,
      names: new Names(targets),
      serviceTime,
      readStdin: () => this.#stdin.take(),
      readWholeStdin: () => this.#stdin.whole(),
      accounts: named,
      confirm: async (question) => {
        if (options.dryRun) return;
        const place = describePlace(this.#verb, values, { targets: this.#targets, world });
        const where = accounts ? `${place}, ${(await import('../batch/accounts.ts')).describeAccounts(accounts)}` : place;
        await confirm(question, where, world, this.#globals, options.confirm as string | undefined);
        this.#targets.forget();
      },
      resume,
      program,
    };
  }

  /** Asks for the confirmation that the verb requires, unless the command line already gives it. */
  async #ask(session: Session, { accounts }: RunInput): Promise<void> {
    const { options, values, resumed } = this.#invocation;
    const isAnswered = options.dryRun === true || (this.#globals.yes && !this.#verb.wantsName) || resumed !== undefined;
    const question = isAnswered
      ? null
      : await this.#verb.confirm?.({ session: accounts && !this.#verb.among ? null : session, values, options });
    if (question) await session.confirm(question);
  }

  /** Runs the verb once, or as a batch on several accounts. */
  async #runVerb(session: Session, given: RunInput): Promise<Result> {
    const { options, values, argv, resumed } = this.#invocation;
    const [verb, globals] = [this.#verb, this.#globals];
    const { accounts, wholeInput } = given;
    const input = { arguments: verb.arguments ?? [], fields: verb.fields ?? [], ownOptions: verb.options, values, options };
    const runOn = (own: Session, chosen: Options) => runOrShowRequest(() => verb.run(own, values, chosen), input);
    // A query needs all rows, and a merge must not contain truncated lists; otherwise the results would be wrong.
    const needsAll = (accounts !== null || selectsFromAnswer(globals)) && options.cursor === undefined;
    const isWhole = verb.isDataset === true && ['csv', 'tsv', 'ndjson'].includes(globals.output);
    const readsAll = (needsAll || isWhole) && options.limit === undefined;
    // Rows are counted after they were selected.
    const isArranged = arranges(globals) && verb.pages === true;
    const chosen = readsAll || isArranged ? { ...options, all: true, ...(isArranged && { limit: undefined }) } : options;
    if (!accounts) return await runOn(session, chosen);
    const { startBatch } = await import('../batch/start-batch.ts');
    const command = { verb, options, argv, input: wholeInput, stdin: this.#stdin, resumed };
    const sessionOn = (own: Targets, notes: Notes) => this.#sessionOn(given, own, notes);
    const surroundings = { world: this.#world, globals, notes: this.#notes, targets: this.#targets, sessionOn };
    const { batch, printNotes } = startBatch(accounts, command, surroundings, runOn);
    [this.#batch, this.#printNotes] = [batch, printNotes];
    return batch.result(verb, chosen);
  }

  /** Prints the selected part. @param whole the whole result, for the error if a new key could not be printed */
  async #print(result: Result, whole: Result, { accounts }: RunInput): Promise<void> {
    const { options } = this.#invocation;
    const [verb, globals, world] = [this.#verb, this.#globals, this.#world];
    const isSent = verb.endpoint !== undefined && options.dryRun !== true;
    const mustArrive = verb.makesKey === true && options.keyFile === undefined && options.dryRun !== true;
    const printing = {
      format: globals.output,
      style: globals.style,
      columns: verb.shown?.columns,
      text: globals.fields || options.dryRun ? undefined : verb.text,
      drawing: globals.fields || accounts ? undefined : verb.shown?.drawing,
      isChosen: globals.fields !== undefined,
      isLive: verb.endpoint?.isStream === true,
      emptyNote: () => emptyNote(this.#invocation),
      wide: globals.wide,
      now: async () => {
        if (!isSent) return world.now();
        // Asked again, because a verb can take long. The response is already there; an error must not prevent its being printed.
        return await this.#askTime().catch(() => world.now());
      },
      world,
      notes: this.#notes,
      pager: this.#watch ? undefined : await choosePager(verb, globals, world),
      mustArrive,
    };
    await print(result, printing).catch((error: unknown) => {
      throw mustArrive ? lostKeyError(error as Error, whole) : error;
    });
  }
}

/**
 * The pager for the output of a verb. A verb that changes something has none, because quitting the pager must not stop the
 * work.
 */
async function choosePager(verb: Verb, { pager, output, wide }: GlobalOptions, world: World): Promise<string | undefined> {
  if (!pager || output !== 'table' || !world.stdout.isTTY || isWriteVerb(verb) || verb.endpoint?.isStream) return undefined;
  return (await import('../output/pager.ts')).pagerCommand(world, wide);
}

/** The global options, with the profile of the embedded store for a verb that prefers it, unless a server is named. */
function withUsualPlace(verb: Verb, globals: GlobalOptions, { env }: World): GlobalOptions {
  const { profile, baseUrl } = globals;
  const isNamed = [flagOrVariable(profile, env, 'MSGCTL_PROFILE'), flagOrVariable(baseUrl, env, 'MSGCTL_BASE_URL')].some(Boolean);
  return verb.scope === 'embedded sandbox' && !isNamed ? { ...globals, profile: sandboxName } : globals;
}

/** The verb with the columns for tables. */
function withTableColumns(verb: Verb): Verb {
  const { shown } = verb;
  return shown?.table ? { ...verb, shown: { ...shown, columns: shown.table } } : verb;
}

async function readVerbInput(verb: Verb, { input }: Options, stdin: TextFromStdin, notes: Notes): Promise<ResultRow> {
  if (input === undefined || (verb.takesTables && isTable(input as string))) return {};
  const { readInput } = await import('../verb/input.ts');
  return await readInput(input as string, verb.endpoint, () => stdin.take(), notes);
}

/** Describes what a verb acts on, for a confirmation prompt. */
function describePlace(verb: Verb, values: readonly string[], session: Pick<Session, 'targets' | 'world'>): string {
  if (verb.promptTarget) return verb.promptTarget({ session, values });
  const { targets } = session;
  return isSandboxVerb(verb) ? targets.describeSandbox() : describeTarget(targets.resolve());
}
