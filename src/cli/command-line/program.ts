import { Command, InvalidArgumentError, Option } from 'commander';
import type { OptionSpec } from '../command/noun.ts';
import { InvalidValue } from '../command/values.ts';
import { globalOptions } from '../global-options.ts';

/** The name of the only subcommand: it stands for the noun and the verb. */
export const verbCommand = 'verb';

/** Creates commander's program for a verb: the global options, and a subcommand with the options of the verb. */
export function makeProgram(options: readonly OptionSpec[], run: (command: Command) => Promise<void>): Command {
  const program = quietProgram();
  for (const { flags, summary } of globalOptions) program.option(flags, summary);
  const command = program.command(verbCommand);
  for (const option of options) command.addOption(makeOption(option));
  // `placeValues` checks the arguments, because an option or `--input` can give one instead.
  command.argument('[words...]').action(() => run(command));
  return program;
}

/** A program that throws its errors, and whose help is asked for by an error too: msgctl writes both itself. */
function quietProgram(): Command {
  return new Command('msgctl')
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .showSuggestionAfterError(false)
    .helpCommand(false);
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
