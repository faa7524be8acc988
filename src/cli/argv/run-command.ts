import { type Command, CommanderError } from 'commander';
import type { BatchFile } from '../batch/batch-files.ts';
import type { Noun, NounEntry, Options, OptionSpec, Program, Verb } from '../verb/noun.ts';
import { checkStdinOnce } from '../verb/stdin.ts';
import { argumentsOf, optionName, optionsOf } from '../verb/verb-options.ts';
import { findVerb, type NamedVerb, nextWords, verbWords } from '../verb/verbs.ts';
import { type CliError, type ExitCode, exitCodes, usageError } from '../errors.ts';
import {
  beforeDashes,
  commandWordPositions,
  commandWords,
  globalOptions,
  type OutputFormat,
  detectOutputFormat,
} from '../global-options.ts';
import { findNoun, nouns } from '../nouns.ts';
import type { World } from '../world.ts';
import { checkChange, missingArguments, missingOptions, placeValues } from './arguments.ts';
import { checkTakesAccounts } from './choose-accounts.ts';
import { commandLineError, helpHint } from './command-line-error.ts';
import { makeProgram, verbCommand } from './program.ts';
import { runVerb } from './run-verb.ts';

/**
 * Parses a command line and runs its verb.
 * @param resumed the file of a batch to resume, on whose accounts the verb runs
 * @throws CliError and the errors of the verb
 */
export async function runCommand(argv: readonly string[], world: World, resumed?: BatchFile): Promise<ExitCode> {
  const words = commandWords(argv);
  const [nounName, ...more] = words;
  if (nounName === 'help') return await showHelp(more, argv, world);
  if (nounName === 'version' || (nounName === undefined && has(argv, '--version', '-V'))) return await showVersion(world);
  if (nounName === undefined && has(argv, '--help', '-h')) return await showRootHelp(world);
  if (nounName === undefined) throw await noCommandError(argv);
  const entry = findNoun(nounName);
  if (!entry) throw await (await import('./unknown-command.ts')).unknownNounError(words);
  const noun = await entry.load();
  // `tags help` and `help tags` are the same as `tags --help`.
  if (more[0] === 'help' && !findVerb(noun, ['help'])) return await runCommand([nounName, ...more.slice(1), '--help'], world);
  const named = findVerb(noun, more);
  return named ? await runNamed(named, { argv, world, noun, resumed }) : await runGroup(entry, noun, words, argv, world);
}

/** The error for a command line without a command. If it has an unknown option, the error is about that. */
async function noCommandError(argv: readonly string[]): Promise<CliError> {
  const hint = 'msgctl --help lists the commands.';
  try {
    await makeProgram([], async () => {}).parseAsync([verbCommand, ...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return commandLineError(error, namesWith([]), hint);
    throw error;
  }
  return usageError('No command given', hint);
}

/** The long names of the given options and of the global ones. */
function namesWith(specs: readonly OptionSpec[]): string[] {
  return [...specs, ...globalOptions].map(({ flags }) => optionName(flags));
}

/** Whether one of these options is used. */
function has(argv: readonly string[], ...options: string[]): boolean {
  return beforeDashes(argv).some((word) => options.includes(word));
}

/** Runs a verb, or shows its help. */
async function runNamed(named: NamedVerb, surroundings: Surroundings): Promise<ExitCode> {
  const { argv, world } = surroundings;
  // Options can appear between the words of the command.
  const positions = commandWordPositions(argv).slice(0, 1 + verbWords(named.verb).length);
  const rest = argv.filter((_word, index) => !positions.includes(index));
  let exitCode: ExitCode = exitCodes.done;
  const specs = optionsOf(named.verb);
  const program = makeProgram(specs, async (command) => {
    exitCode = await runParsed(command, named, surroundings);
  });
  try {
    await program.parseAsync([verbCommand, ...rest], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code !== 'commander.helpDisplayed') {
      const takesWords = argumentsOf(named.verb).length > 0;
      const optionWith = (word: string) => {
        const spec = specs.find(({ choices }) => choices?.includes(word));
        return spec && `--${optionName(spec.flags)} ${word}`;
      };
      throw commandLineError(error, namesWith(specs), helpHint(named.words), takesWords, optionWith);
    }
    const [{ verbHelp }, { helpWidth }] = await Promise.all([import('../help/command-help.ts'), import('../help/layout.ts')]);
    world.stdout.write(verbHelp(named, helpWidth(world.stdout)));
    return exitCodes.done;
  }
}

/** The environment of a command line. */
interface Surroundings {
  readonly argv: readonly string[];
  readonly world: World;
  readonly noun: Noun;
  readonly resumed: BatchFile | undefined;
}

async function runParsed(command: Command, { verb, words }: NamedVerb, { argv, world, noun, resumed }: Surroundings): Promise<ExitCode> {
  const args = argumentsOf(verb);
  const specs = optionsOf(verb);
  const typed = command.args;
  checkTakesAccounts(verb, words, command.optsWithGlobals<{ subAccount?: string }>().subAccount);
  const given = { words: typed, options: command.opts<Options>() };
  const isComplete = missingArguments(args, typed, given.options).length + missingOptions(specs, given.options).length === 0;
  const { words: answered, options } = isComplete ? given : await (await import('./ask-missing.ts')).askMissing(args, specs, given, world);
  const values = placeValues(args, answered, options, words, specs);
  checkChange(verb, options, words);
  checkStdinOnce(answered, options);
  const invocation = {
    verb,
    words,
    values,
    options,
    allOptions: command.optsWithGlobals(),
    argv,
    creation: () => creationIn(noun, verb),
    resumed,
  };
  return await runVerb({ ...invocation, resume: (id, output) => resumeBatch(id, output, world), program: wholeProgram }, world);
}

const wholeProgram: Program = {
  nouns,
  topics: async () => (await import('../help/topics.ts')).topics,
  run: runCommand,
};

/** The verbs that create records. */
const creatingVerbs = ['create', 'book', 'pair', 'import'];

/** The command that creates the first record of a list; undefined if there is none. */
function creationIn({ name, verbs }: Noun, list: Verb): string | undefined {
  if (!/(^| )list$/.test(list.name)) return undefined;
  // The rules of `routing rules list` are created by `routing rules create`.
  const group = list.name.replace(/\S*$/, '');
  const verb = creatingVerbs.flatMap((each) => verbs.find((other) => other.name === group + each) ?? [])[0];
  if (!verb) return undefined;
  const required = optionsOf(verb).flatMap(({ flags, isRequired }) => (isRequired ? [flags] : []));
  return ['msgctl', name, verb.name, ...argumentsOf(verb).map(({ usage }) => usage), ...required].join(' ');
}

/** Runs the command line of a batch again, on the service for which it was started. */
async function resumeBatch(id: string, output: OutputFormat, world: World): Promise<ExitCode> {
  const { batchFiles } = await import('../batch/batch-files.ts');
  const file = batchFiles(world).claim(id);
  const { argv, profile, base_url: baseUrl } = file.record;
  const env = { ...world.env, MSGCTL_PROFILE: profile ?? undefined, MSGCTL_BASE_URL: baseUrl ?? undefined };
  // If an option is repeated, the last `--output` is used.
  const line = argv.toSpliced(beforeDashes(argv).length, 0, '--output', output);
  // The streams of the world are created on first use, so the object must not be copied.
  return await runCommand(line, Object.create(world, { env: { value: env } }) as World, file);
}

/**
 * Shows the help of a noun or of a group of its verbs when no verb is given.
 * @param words all words of the command line
 * @throws CliError 2 if the verb is unknown, or if help was not requested
 */
async function runGroup(entry: NounEntry, noun: Noun, words: readonly string[], argv: readonly string[], world: World): Promise<ExitCode> {
  const isGroup = noun.verbs.some((verb) => verb.name.startsWith(`${words[1]} `));
  const group = isGroup ? words.slice(1, 2) : [];
  if (words.length > 1 + group.length) throw await (await import('./unknown-command.ts')).unknownVerbError(noun, words, group);
  const isAskedFor = has(argv, '--help', '-h');
  const path = [noun.name, ...group].join(' ');
  if (isAskedFor || detectOutputFormat(argv, world.env) !== 'json') {
    const [{ nounHelp }, { helpWidth }] = await Promise.all([import('../help/command-help.ts'), import('../help/layout.ts')]);
    const output = isAskedFor ? world.stdout : world.stderr;
    output.write(`${nounHelp(entry, noun, group, helpWidth(output))}${isAskedFor ? '' : '\n'}`);
  }
  if (isAskedFor) return exitCodes.done;
  const names = nextWords(noun, group).map(([name]) => name);
  throw usageError(`msgctl ${path} needs a verb: ${names.join(', ')}`);
}

/** Shows a help topic for `msgctl help output`, and the help of a command for `msgctl help keys`, like `msgctl keys --help`. */
async function showHelp(words: readonly string[], argv: readonly string[], world: World): Promise<ExitCode> {
  if (words.length === 0 || (words.length === 1 && words[0] === 'commands')) return await showRootHelp(world);
  const [{ findTopic, topics }, { helpWidth }] = await Promise.all([import('../help/topics.ts'), import('../help/layout.ts')]);
  const topic = findTopic(words);
  const names = topics.map(({ name }) => name);
  if (!topic && isUnknown(words)) throw await (await import('./unknown-command.ts')).unknownNounError(words, names);
  if (!topic) return await runCommand([...words, '--help'], world);
  const text = await topic.text(helpWidth(world.stdout));
  const { pagerCommand, printPaged } = await import('../output/pager.ts');
  const pager = has(argv, '--no-pager') ? undefined : pagerCommand(world);
  const print = async (part: string) => void world.stdout.write(part);
  if (pager === undefined) await print(text);
  else await printPaged(pager, world, print, (write) => write(text));
  return exitCodes.done;
}

/** Whether words after `help` begin with no command. */
function isUnknown([word = '']: readonly string[]): boolean {
  return !findNoun(word) && !['help', 'version'].includes(word) && !word.startsWith('-');
}

async function showVersion(world: World): Promise<ExitCode> {
  const { version } = await import('../../version.ts');
  world.stdout.write(`${version}\n`);
  return exitCodes.done;
}

async function showRootHelp(world: World): Promise<ExitCode> {
  const [{ rootHelp }, { helpWidth }] = await Promise.all([import('../help/root.ts'), import('../help/layout.ts')]);
  world.stdout.write(rootHelp(helpWidth(world.stdout)));
  return exitCodes.done;
}
