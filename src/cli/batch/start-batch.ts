import { iso } from '../../contract/time/instants.ts';
import type { Options, Session, Verb } from '../verb/noun.ts';
import type { TextFromStdin } from '../verb/stdin.ts';
import { isWriteVerb } from '../verb/verb-options.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Notes } from '../output/notes.ts';
import type { Result, ResultRow } from '../output/result.ts';
import type { Targets } from '../connection/targets.ts';
import type { World } from '../world.ts';
import { AccountNotes } from './account-notes.ts';
import type { Account } from './accounts.ts';
import { Batch } from './batch.ts';
import { type BatchFile, batchFiles } from './batch-files.ts';

/** A command that acts on several accounts. */
interface Command {
  readonly verb: Verb;
  readonly options: Options;
  readonly argv: readonly string[];
  /** The request body given with `--input`. */
  readonly input: ResultRow;
  readonly stdin: TextFromStdin;
  /** The file of the batch that is resumed; undefined for a new command. */
  readonly resumed: BatchFile | undefined;
}

/** The environment of the command. */
interface Surroundings {
  readonly world: World;
  readonly globals: GlobalOptions;
  readonly notes: Notes;
  readonly targets: Targets;
  /** Creates a session for one account. */
  readonly sessionOn: (targets: Targets, notes: Notes) => Session;
}

/**
 * Starts a command on several accounts. Creates a batch file if the command can change something.
 * @param run runs the verb in a session
 * @returns the batch, and a function that prints the notes about its accounts
 * @throws CliError 1 if the file cannot be written
 */
export function startBatch(
  accounts: readonly Account[],
  command: Command,
  { world, globals, notes, targets, sessionOn }: Surroundings,
  run: (session: Session, options: Options) => Promise<Result>,
): { batch: Batch; printNotes: () => void } {
  const { verb, options } = command;
  const accountNotes = new AccountNotes(notes);
  const isKept = isWriteVerb(verb) && !options.dryRun;
  const file = isKept ? (command.resumed ?? beginFile(accounts, command, world, targets)) : null;
  if (file) command.stdin.keepBy((text) => file.keepStdin(text));
  const batch = new Batch({
    accounts,
    world,
    quiet: globals.quiet,
    isTable: globals.output === 'table',
    file,
    mayAcceptExisting: options.ifExists === undefined && (verb.options ?? []).some(({ flags }) => flags.startsWith('--if-exists ')),
    run: async ({ id, name }, limited, seed) => {
      const own = await targets.forAccount(id, seed);
      return await run(sessionOn(own, accountNotes.about(name ?? id ?? 'own')), limited);
    },
  });
  return { batch, printNotes: () => accountNotes.print() };
}

function beginFile(accounts: readonly Account[], { argv, input }: Command, world: World, targets: Targets): BatchFile {
  const { profile, baseUrl } = targets.resolve();
  const record = {
    created_at: iso(world.now()),
    argv,
    profile,
    base_url: baseUrl,
    input,
    stdin: null,
  };
  return batchFiles(world).begin(record, accounts);
}
