import { Command, CommanderError, type Help, InvalidArgumentError, Option } from 'commander';
import { bodyArguments, InvalidValue, type Noun, type Options, type OptionSpec, optionsOf, type Verb } from './command.ts';
import { CliError, type ExitCode, exitCodes, usageError } from '../errors.ts';
import { commandWords, globalOptions } from './global-options.ts';
import { nouns } from '../nouns.ts';
import { runVerb } from './run-verb.ts';
import type { World } from '../world.ts';

/**
 * Parses a command line and runs the verb that it names.
 * @throws CliError, and whatever the verb throws
 */
export async function runCommand(argv: readonly string[], world: World): Promise<ExitCode> {
  const [nounName, ...more] = commandWords(argv);
  if (nounName === 'help') return await showHelp(more, world);
  if (nounName === undefined && (argv.includes('--version') || argv.includes('-V'))) return await showVersion(world);
  if (nounName === undefined && (argv.includes('--help') || argv.includes('-h'))) return await showRootHelp(world);
  if (nounName === undefined) throw usageError('Name a command', 'msgctl --help lists the commands.');
  let text = '';
  const program = makeProgram((output) => (text += output), world.stdout.columns ?? 80);
  const outcome: Outcome = { code: exitCodes.done };
  const isKnown = nouns.some(({ name }) => name === nounName);
  for (const entry of nouns) {
    if (entry.name === nounName) addNoun(program, await entry.load(), world, outcome);
    else program.command(entry.name).action(() => {});
  }
  try {
    // Asked for help with a command that does not exist, commander would show that of the program.
    await program.parseAsync(isKnown ? argv : [nounName], { from: 'user' });
    return outcome.code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) {
      world.stdout.write(text);
      return exitCodes.done;
    }
    throw usageFailure(error, program, commandWords(argv));
  }
}

/** What the verb that ran leaves to say. */
interface Outcome {
  code: ExitCode;
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

/** Below so many columns, help has no room for two. */
const narrow = 72;

/** An option or an argument in a narrow window: what it is for stands below it. */
function stackItem(term: string, _width: number, description: string, helper: Help): string {
  const lines = helper.boxWrap(description, Math.max(16, (helper.helpWidth ?? narrow) - 6));
  return `  ${term}${description === '' ? '' : `\n${lines}`.replaceAll('\n', '\n      ')}`;
}

function makeProgram(write: (text: string) => void, width: number): Command {
  const program = new Command('msgctl')
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: write, getOutHelpWidth: () => width, getErrHelpWidth: () => width })
    .configureHelp({
      showGlobalOptions: true,
      sortSubcommands: false,
      minWidthToWrap: 16,
      ...(width < narrow && { formatItem: stackItem }),
    })
    .helpCommand(false)
    .showSuggestionAfterError(true);
  for (const { flags, summary } of globalOptions) program.option(flags, summary);
  return program;
}

function addNoun(program: Command, noun: Noun, world: World, outcome: Outcome): void {
  const [only] = noun.verbs;
  if (only && noun.verbs.length === 1 && only.name === '') {
    addVerb(program.command(noun.name), only, noun.name, world, outcome);
    return;
  }
  const command = program.command(noun.name).description(noun.summary).helpCommand(false).usage('<verb> [arguments] [options]');
  for (const verb of noun.verbs) {
    const words = verb.name.split(' ');
    const parent = words.slice(0, -1).reduce((at, word) => findOrAdd(at, word), command);
    addVerb(parent.command(words.at(-1) ?? ''), verb, `${noun.name} ${verb.name}`, world, outcome);
  }
  // A group of verbs is told by their names.
  for (const group of command.commands)
    if (group.commands.length > 0) group.description(group.commands.map((verb) => verb.name()).join(', '));
}

function findOrAdd(parent: Command, name: string): Command {
  const found = parent.commands.find((command) => command.name() === name);
  return found ?? parent.command(name).helpCommand(false).usage('<verb> [arguments] [options]');
}

function addVerb(command: Command, verb: Verb, words: string, world: World, outcome: Outcome): void {
  command.description(verb.summary).allowExcessArguments(false);
  // A flag or `--input` may bring what the body needs; so whether it is missing is judged below.
  const inBody = new Set(bodyArguments(verb).map(([name]) => name));
  for (const [name, summary] of verb.arguments ?? []) command.argument(inBody.has(name) ? name.replace(/^<(.*)>$/, '[$1]') : name, summary);
  const required = optionsOf(verb).filter((option) => option.required);
  for (const option of optionsOf(verb)) command.addOption(makeOption(option));
  command.usage(['[options]', ...(verb.arguments ?? []).map(([name]) => name)].join(' '));
  command.addHelpText('after', () => verbHelp(verb));
  command.action(async () => {
    const options: Options = command.opts();
    checkRequired(required, options, words);
    const values = placeValues(verb, inBody, command.processedArgs.flat() as (string | undefined)[], options, words);
    outcome.code = await runVerb({ verb, words, values, options, allOptions: command.optsWithGlobals() }, world);
  });
}

/**
 * Puts the values of the arguments in their places, those that flags name first.
 * @throws CliError 2 when one is missing that neither a flag nor `--input` brings, or one is left over
 */
function placeValues(verb: Verb, inBody: ReadonlySet<string>, given: (string | undefined)[], options: Options, words: string): string[] {
  const left = given.filter((value) => value !== undefined);
  const values: (string | undefined)[] = [];
  for (const [spec] of verb.arguments ?? []) {
    const name = spec.replace(/[<>[\].]/g, '');
    if (spec.includes('...')) values.push(...left.splice(0));
    else values.push((inBody.has(spec) ? (options[camelCase(name)] as string | undefined) : undefined) ?? left.shift());
    const isMissing = inBody.has(spec) && (spec.includes('...') ? values.length === 0 : values.at(-1) === undefined);
    if (isMissing && options.input === undefined)
      throw usageError(`Missing required argument '${name}'`, `msgctl ${words} --help shows how.`);
  }
  if (left.length > 0) throw usageError(`Too many arguments: '${left[0]}' is left over`, `msgctl ${words} --help shows how.`);
  return values as string[];
}

/** @throws CliError 2 when an option is missing that `--input` does not bring either */
function checkRequired(required: readonly OptionSpec[], options: Options, words: string): void {
  const missing = required.find(({ flags }) => options[camelCase(/--([\w-]+)/.exec(flags)?.[1] ?? '')] === undefined);
  if (missing && options.input === undefined)
    throw usageError(`Missing required option '${missing.flags}'`, `msgctl ${words} --help shows how.`);
}

/** A flag's name as commander keeps its value. */
function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** What help says of a verb beside its arguments and options. */
function verbHelp(verb: Verb): string {
  const width = Math.max(...verb.examples.map(([line]) => line.length));
  const examples = verb.examples.map(([line, purpose]) => `  ${line.padEnd(width)}  # ${purpose}`);
  return `\nExamples:\n${examples.join('\n')}`;
}

function makeOption({ flags, summary, choices, parse }: OptionSpec): Option {
  const option = new Option(flags, summary);
  if (choices) option.choices([...choices]);
  if (parse)
    option.argParser((text, previous) => {
      try {
        return parse(text, previous);
      } catch (error) {
        if (error instanceof InvalidValue) throw new InvalidArgumentError(error.message);
        throw error;
      }
    });
  return option;
}

function usageFailure(error: CommanderError, program: Command, words: readonly string[]): CliError {
  const command = deepest(program, words);
  const hint = command === program ? 'msgctl --help lists the commands.' : `msgctl ${commandPath(command)} --help shows how.`;
  if (error.code === 'commander.help') return usageError(missingVerb(program, command), hint);
  const message = error.message
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean (.*)\?\)$/s, '; did you mean $1?')
    .replace(/ is invalid\. Allowed choices are (.*)\.$/, ': it must be one of $1')
    .replace(/ is invalid\. /, ': it ');
  return usageError(message.charAt(0).toUpperCase() + message.slice(1), hint);
}

/** The command that the words name, as far as they do. */
function deepest(program: Command, words: readonly string[]): Command {
  return words.reduce((at, word) => at.commands.find((child) => child.name() === word) ?? at, program);
}

function commandPath(command: Command): string {
  return command.parent?.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}

/** Which words could follow those that there are. */
function missingVerb(program: Command, command: Command): string {
  const names = command.commands.map((child) => child.name()).join(', ');
  return command === program ? `Name a command: ${names}` : `msgctl ${commandPath(command)} needs a verb: ${names}`;
}
