import { Command, Option } from 'commander';
import type { OptionSpec } from '../verb/noun.ts';
import { InvalidValue, parseChoice, usageErrorFor } from '../invalid-value.ts';
import { globalOptions } from '../global-options.ts';
import { parseRepeated } from '../verb/values.ts';

/** The name of the only subcommand, which represents the noun and the verb. */
export const verbCommand = 'verb';

/** Creates the commander program for a verb: the global options, and a subcommand with the options of the verb. */
export function makeProgram(options: readonly OptionSpec[], run: (command: Command) => Promise<void>): Command {
  const program = quietProgram();
  for (const { flags, summary, isRepeated } of globalOptions)
    program.addOption(makeOption({ flags, summary, ...(isRepeated && { parse: parseRepeated }) }));
  const command = program.command(verbCommand);
  for (const option of options) command.addOption(makeOption(option));
  // Arguments are optional here, because options or `--input` can replace them. `placeValues` checks them.
  command.argument('[words...]').action(() => run(command));
  return program;
}

/** A program that throws its errors, including the request for help, instead of printing them. msgctl prints both itself. */
function quietProgram(): Command {
  return new Command('msgctl')
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .showSuggestionAfterError(false)
    .helpCommand(false);
}

function makeOption({ flags, summary, choices, parse = choices && parseChoice(choices) }: OptionSpec): Option {
  const option = new Option(flags, summary);
  if (parse)
    option.argParser((text, previous) => {
      try {
        return parse(text, previous);
      } catch (error) {
        throw error instanceof InvalidValue ? usageErrorFor(`--${option.name()}`, text, error) : error;
      }
    });
  return option;
}
