import type { Command, CommanderError } from 'commander';
import { type CliError, usageError } from '../errors.ts';

/** Turns an error of commander into the program's own, with a hint to the help of the command that the words name. */
export function commandLineError(error: CommanderError, program: Command, words: readonly string[]): CliError {
  const command = deepestCommand(program, words);
  const hint = command === program ? 'msgctl --help lists the commands.' : `Run 'msgctl ${commandPath(command)} --help' for usage.`;
  if (error.code === 'commander.help') return usageError(missingVerbText(command), hint);
  const message = error.message
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean (.*)\?\)$/s, '; did you mean $1?')
    .replace(/ is invalid\. Allowed choices are (.*)\.$/, ': it must be one of $1')
    .replace(/ is invalid\. /, ': it ');
  return usageError(message.charAt(0).toUpperCase() + message.slice(1), hint);
}

/** The most specific command that the words name. */
function deepestCommand(program: Command, words: readonly string[]): Command {
  return words.reduce((at, word) => at.commands.find((child) => child.name() === word) ?? at, program);
}

function commandPath(command: Command): string {
  return command.parent?.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}

function missingVerbText(command: Command): string {
  return `msgctl ${commandPath(command)} needs a verb: ${command.commands.map((child) => child.name()).join(', ')}`;
}
