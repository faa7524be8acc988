import { type Command, CommanderError } from 'commander';
import type { Noun, Options } from '../command/noun.ts';
import { runVerb } from '../command/run-verb.ts';
import { argumentsOf, optionsOf } from '../command/verb-options.ts';
import { findVerb, type NamedVerb, nextWords, verbWords } from '../command/verbs.ts';
import { type ExitCode, exitCodes, usageError } from '../errors.ts';
import { commandWordPositions, commandWords, peekOutput } from '../global-options.ts';
import { findNoun, type NounEntry } from '../nouns.ts';
import type { World } from '../world.ts';
import { checkChange, checkRequiredOptions, placeValues } from './arguments.ts';
import { commandLineError, helpHint } from './command-line-error.ts';
import { makeProgram, verbCommand } from './program.ts';

/**
 * Parses a command line and runs the verb that it names.
 * @throws CliError, and whatever the verb throws
 */
export async function runCommand(argv: readonly string[], world: World): Promise<ExitCode> {
  const words = commandWords(argv);
  const [nounName, ...more] = words;
  if (nounName === 'help') return await showHelp(more, world);
  if (nounName === 'version' || (nounName === undefined && has(argv, '--version', '-V'))) return await showVersion(world);
  if (nounName === undefined && has(argv, '--help', '-h')) return await showRootHelp(world);
  if (nounName === undefined) throw usageError('No command given', 'msgctl --help lists the commands.');
  const entry = findNoun(nounName);
  if (!entry) throw await (await import('./unknown-command.ts')).unknownNounError(words);
  const noun = await entry.load();
  const named = findVerb(noun, more);
  return named ? await runNamed(named, argv, world) : await runGroup(entry, noun, words, argv, world);
}

/** Whether one of these options is given. */
function has(argv: readonly string[], ...options: string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? undefined : end).some((word) => options.includes(word));
}

/** Runs a verb, or shows its help. */
async function runNamed(named: NamedVerb, argv: readonly string[], world: World): Promise<ExitCode> {
  // Options of every kind may stand between the words of the command.
  const positions = commandWordPositions(argv).slice(0, 1 + verbWords(named.verb).length);
  const rest = argv.filter((_word, index) => !positions.includes(index));
  let exitCode: ExitCode = exitCodes.done;
  const program = makeProgram(optionsOf(named.verb), async (command) => {
    exitCode = await runParsed(command, named, world);
  });
  try {
    await program.parseAsync([verbCommand, ...rest], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code !== 'commander.helpDisplayed') throw commandLineError(error, helpHint(named.words));
    const [{ verbHelp }, { helpWidth }] = await Promise.all([import('../help/command-help.ts'), import('../help/layout.ts')]);
    world.stdout.write(verbHelp(named, helpWidth(world.stdout)));
    return exitCodes.done;
  }
}

async function runParsed(command: Command, { verb, words }: NamedVerb, world: World): Promise<ExitCode> {
  const options: Options = command.opts();
  checkRequiredOptions(optionsOf(verb), options, words);
  const values = placeValues(argumentsOf(verb), command.args, options, words);
  checkChange(verb, options, words);
  return await runVerb({ verb, words, values, options, allOptions: command.optsWithGlobals() }, world);
}

/**
 * Shows the help of a noun, or of a group of its verbs, when no verb is named.
 * @param words all words of the command line
 * @throws CliError 2 when there is an unknown verb, or when the help was not asked for
 */
async function runGroup(entry: NounEntry, noun: Noun, words: readonly string[], argv: readonly string[], world: World): Promise<ExitCode> {
  const isGroup = noun.verbs.some((verb) => verb.name.startsWith(`${words[1]} `));
  const group = isGroup ? words.slice(1, 2) : [];
  if (words.length > 1 + group.length) throw await (await import('./unknown-command.ts')).unknownVerbError(noun, words, group);
  const isAskedFor = has(argv, '--help', '-h');
  const path = [noun.name, ...group].join(' ');
  if (isAskedFor || peekOutput(argv, world.env) !== 'json') {
    const [{ nounHelp }, { helpWidth }] = await Promise.all([import('../help/command-help.ts'), import('../help/layout.ts')]);
    const output = isAskedFor ? world.stdout : world.stderr;
    output.write(`${nounHelp(entry, noun, group, helpWidth(output))}${isAskedFor ? '' : '\n'}`);
  }
  if (isAskedFor) return exitCodes.done;
  const names = nextWords(noun, group).map(([name]) => name);
  throw usageError(`msgctl ${path} needs a verb: ${names.join(', ')}`);
}

/** `msgctl help output` explains a topic; `msgctl help keys` is `msgctl keys --help`. */
async function showHelp(words: readonly string[], world: World): Promise<ExitCode> {
  if (words.length === 0) return await showRootHelp(world);
  const [{ findTopic }, { helpWidth }] = await Promise.all([import('../help/topics.ts'), import('../help/layout.ts')]);
  const topic = findTopic(words);
  if (!topic) return await runCommand([...words, '--help'], world);
  world.stdout.write(await topic.text(helpWidth(world.stdout)));
  return exitCodes.done;
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
