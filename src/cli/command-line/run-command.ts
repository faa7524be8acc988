import { type Command, CommanderError } from 'commander';
import type { Journal } from '../batch/journal.ts';
import type { Noun, Options } from '../command/noun.ts';
import { checkStdinOnce } from '../command/stdin.ts';
import { argumentsOf } from '../command/verb-options.ts';
import { runVerb } from './run-verb.ts';
import { type ExitCode, exitCodes, usageError } from '../errors.ts';
import { commandWordPositions, commandWords, type OutputFormat } from '../global-options.ts';
import { findNoun, nouns } from '../nouns.ts';
import type { World } from '../world.ts';
import { checkRequiredOptions, missingArguments, missingOptions, placeValues } from './arguments.ts';
import { addNoun, findVerb, makeProgram, type RegisteredVerb } from './program.ts';
import { commandLineError } from './command-line-error.ts';

/**
 * Parses a command line and runs the verb that it names.
 * @param resumed the batch whose accounts it runs on, when that is resumed
 * @throws CliError, and whatever the verb throws
 */
export async function runCommand(argv: readonly string[], world: World, resumed?: Journal): Promise<ExitCode> {
  const [nounName, ...more] = commandWords(argv);
  if (nounName === 'help') return await showHelp(more, world);
  if (nounName === undefined && (argv.includes('--version') || argv.includes('-V'))) return await showVersion(world);
  if (nounName === undefined && (argv.includes('--help') || argv.includes('-h'))) return await showRootHelp(world);
  if (nounName === undefined) throw usageError('No command given', 'msgctl --help lists the commands.');

  let help = '';
  const program = makeProgram((output) => (help += output), world.stdout.columns ?? 80);
  let exitCode: ExitCode = exitCodes.done;
  const entry = findNoun(nounName);
  let words = 1;
  if (entry) {
    const noun = await entry.load();
    const named = findVerb(noun, more);
    words = named?.words.split(' ').length ?? words;
    addNoun(program, noun, entry, named, async (command, registered) => {
      exitCode = await runParsed(command, registered, { argv, world, noun, resumed });
    });
  } else for (const { name } of nouns) program.command(name);
  try {
    // With `--help` after an unknown noun, commander would show the help of the program instead of an error.
    await program.parseAsync(entry ? withHelpAfter(words, withNoun(argv, entry.name)) : [nounName], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) {
      world.stdout.write(help);
      return exitCodes.done;
    }
    throw commandLineError(error, program, entry ? [entry.name, ...more] : [nounName]);
  }
}

/** The command line with an alias of the noun replaced by its name. */
function withNoun(argv: readonly string[], name: string): string[] {
  return argv.with(commandWordPositions(argv)[0] ?? 0, name);
}

/** Moves a `--help` from between the noun and its verb behind them: commander would show the help of what stands before it. */
function withHelpAfter(words: number, argv: readonly string[]): readonly string[] {
  const help = argv.findIndex((word) => word === '--help' || word === '-h');
  const last = commandWordPositions(argv)[words - 1] ?? 0;
  if (help < 0 || help > last) return argv;
  return [...argv.slice(0, help), ...argv.slice(help + 1, last + 1), '--help', ...argv.slice(last + 1)];
}

/** What surrounds a command line that is run. */
interface Surroundings {
  readonly argv: readonly string[];
  readonly world: World;
  readonly noun: Noun;
  readonly resumed: Journal | undefined;
}

async function runParsed(
  command: Command,
  { verb, words, args, options: specs }: RegisteredVerb,
  { argv, world, noun, resumed }: Surroundings,
): Promise<ExitCode> {
  const typed = (command.processedArgs.flat() as (string | undefined)[]).filter((word) => word !== undefined);
  const given = { words: typed, options: command.opts<Options>() };
  const isComplete = missingArguments(args, typed, given.options).length + missingOptions(specs, given.options).length === 0;
  const { words: answered, options } = isComplete ? given : await (await import('./ask-missing.ts')).askMissing(args, specs, given, world);
  checkRequiredOptions(specs, options, words);
  const values = placeValues(args, answered, options, words);
  checkStdinOnce(values, options);
  const invocation = { verb, words, values, options, allOptions: command.optsWithGlobals(), argv, creation: creationIn(noun), resumed };
  return await runVerb({ ...invocation, resume: (id, output) => resumeBatch(id, output, world) }, world);
}

/** The command that creates a record of a noun; undefined when there is none. */
function creationIn({ name, verbs }: Noun): string | undefined {
  const verb = verbs.find((each) => each.name === 'create');
  return verb && ['msgctl', name, 'create', ...argumentsOf(verb).map(({ usage }) => usage)].join(' ');
}

/** Runs the command line of a batch again, on the service for which it was begun. */
async function resumeBatch(id: string, output: OutputFormat, world: World): Promise<ExitCode> {
  const { journalsOf } = await import('../batch/journal.ts');
  const journal = journalsOf(world).require(id);
  const { argv, profile, base_url: baseUrl } = journal.record;
  const env = { ...world.env, MSGCTL_PROFILE: profile ?? undefined, MSGCTL_BASE_URL: baseUrl ?? undefined };
  // Its streams are created on first use, and must not be copied.
  const end = argv.indexOf('--');
  // The last format is used.
  const line = argv.toSpliced(end < 0 ? argv.length : end, 0, '--output', output);
  return await runCommand(line, Object.create(world, { env: { value: env } }) as World, journal);
}

/** `msgctl help output` explains a topic; `msgctl help keys` is `msgctl keys --help`. */
async function showHelp(words: readonly string[], world: World): Promise<ExitCode> {
  const { findTopic } = await import('../help/topics.ts');
  const topic = findTopic(words);
  if (!topic) return words.length === 0 ? await showRootHelp(world) : await runCommand([...words, '--help'], world);
  world.stdout.write(await topic.text());
  return exitCodes.done;
}

async function showVersion(world: World): Promise<ExitCode> {
  const { version } = await import('../../version.ts');
  world.stdout.write(`${version}\n`);
  return exitCodes.done;
}

async function showRootHelp(world: World): Promise<ExitCode> {
  const { rootHelp } = await import('../help/root.ts');
  world.stdout.write(rootHelp());
  return exitCodes.done;
}
