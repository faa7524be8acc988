import { Command, type Help, InvalidArgumentError, Option } from 'commander';
import type { Noun, OptionSpec, Verb } from '../command/noun.ts';
import { InvalidValue } from '../command/values.ts';
import { type Argument, argumentsOf, optionsOf } from '../command/verb-options.ts';
import { wrapped } from '../output/cell.ts';
import { globalOptions } from '../global-options.ts';
import type { NounEntry } from '../nouns.ts';

/** The verb that a command line names. */
interface NamedVerb {
  readonly verb: Verb;
  /** The noun and the verb, for messages. */
  readonly words: string;
}

/** A verb with the arguments and options that were derived for it. */
export interface RegisteredVerb extends NamedVerb {
  readonly args: readonly Argument[];
  readonly options: readonly OptionSpec[];
}

type Run = (command: Command, registered: RegisteredVerb) => Promise<void>;

/** In narrower windows, the help prints the description of an option below it instead of beside it. */
const narrowColumns = 72;

/** Creates commander's program without any command. */
export function makeProgram(write: (text: string) => void, width: number): Command {
  const program = new Command('msgctl')
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: write, getOutHelpWidth: () => width, getErrHelpWidth: () => width })
    .configureHelp({
      showGlobalOptions: true,
      sortSubcommands: false,
      minWidthToWrap: 16,
      ...(width < narrowColumns && { formatItem: stackItem }),
    })
    .helpCommand(false)
    .showSuggestionAfterError(true);
  for (const { flags, summary } of globalOptions) program.option(flags, summary);
  return program;
}

/** Finds the verb that the words after the noun begin with; undefined when there is none. */
export function findVerb(noun: Noun, words: readonly string[]): NamedVerb | undefined {
  const verb = noun.verbs.find(({ name }) => name === '' || name.split(' ').every((word, index) => word === words[index]));
  return verb && { verb, words: `${noun.name} ${verb.name}`.trim() };
}

/**
 * Adds a noun to the program. With a named verb, only that verb is added, with its arguments and options, because
 * deriving the options of all verbs takes time. Without one, every verb is added with its name and summary.
 * @param run what the named verb does
 */
export function addNoun(
  program: Command,
  noun: Noun,
  { summary, note }: Pick<NounEntry, 'summary' | 'note'>,
  named: NamedVerb | undefined,
  run: Run,
): void {
  if (named?.verb.name === '') return addVerb(program.command(noun.name), named, run);
  const description = note === undefined ? summary : `${summary}\n\n${note}`;
  const command = program.command(noun.name).description(description).helpCommand(false).usage('<verb> [arguments] [options]');
  for (const { name, summary } of named ? [named.verb] : noun.verbs) {
    const words = name.split(' ');
    const parent = words.slice(0, -1).reduce(findOrAddGroup, command);
    const child = parent.command(words.at(-1) ?? '').description(summary);
    if (named) addVerb(child, named, run);
  }
  for (const group of command.commands)
    if (group.commands.length > 0) group.description(group.commands.map((verb) => verb.name()).join(', '));
}

function findOrAddGroup(parent: Command, name: string): Command {
  const found = parent.commands.find((command) => command.name() === name);
  return found ?? parent.command(name).helpCommand(false).usage('<verb> [arguments] [options]');
}

function addVerb(command: Command, named: NamedVerb, run: Run): void {
  const { verb } = named;
  const args = argumentsOf(verb);
  const options = optionsOf(verb);
  command.description(verb.summary).allowExcessArguments(false);
  // Commander requires none of them: an option, `--input` or a question can give them too. `placeValues` checks that.
  for (const { usage, summary } of args) command.argument(usage.replace(/^<(.*)>$/, '[$1]'), summary);
  for (const option of options) command.addOption(makeOption(option));
  command.usage(['[options]', ...args.map(({ usage }) => usage)].join(' '));
  command.addHelpText('after', () => examplesText(verb, command.configureOutput().getOutHelpWidth?.() ?? 80));
  command.action(() => run(command, { ...named, args, options }));
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

/** The examples, with their purposes beside them where the help is wide enough. */
function examplesText({ examples }: Verb, width: number): string {
  const longest = Math.max(...examples.map(([line]) => line.length));
  const beside = examples.map(([line, purpose]) => `  ${line.padEnd(longest)}  # ${purpose}`);
  const lines = beside.every((line) => line.length <= width)
    ? beside
    : examples.flatMap(([line, purpose]) => [wrapped(purpose, width - 4).replace(/^/gm, '  # '), continued(`  ${line}`, width)]);
  return `\nExamples:\n${lines.join('\n')}`;
}

/** A command in lines of at most `width` columns that the shell reads as one. Quoted words are kept whole. */
function continued(line: string, width: number): string {
  const [first = '', ...words] = line.match(/^\s+|(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  const lines = [first];
  for (const word of words) {
    const last = lines.at(-1) ?? '';
    const joined = last.trim() === '' ? last + word : `${last} ${word}`;
    if (joined.length <= width - 2 || last.trim() === '') lines[lines.length - 1] = joined;
    else lines.push(`      ${word}`);
  }
  return lines.join(' \\\n');
}

/** An item of the help with its description below it. */
function stackItem(term: string, _width: number, description: string, helper: Help): string {
  const lines = helper.boxWrap(description, Math.max(16, (helper.helpWidth ?? narrowColumns) - 6));
  return `  ${term}${description === '' ? '' : `\n${lines}`.replaceAll('\n', '\n      ')}`;
}
