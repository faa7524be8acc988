import { globalOptions } from '../global-options.ts';
import { nouns } from '../nouns.ts';
import { topics } from './topics.ts';

/** The help of the program. It does not load the parser of command lines. */
export function rootHelp(): string {
  const width = Math.max(...nouns.map(({ name }) => name.length), ...globalOptions.map(({ flags }) => flags.length), 13) + 2;
  const row = (name: string, summary: string) => `  ${name.padEnd(width)}${summary}`;
  const groups = [...new Set(nouns.map(({ group }) => group))].flatMap((group) => [
    `${group}:`,
    ...nouns.filter((noun) => noun.group === group).map((noun) => row(noun.name, noun.summary)),
    '',
  ]);
  return [
    'Operate a customer-messaging account, or run the whole service yourself.',
    '',
    'Usage: msgctl <command> [arguments] [options]',
    '',
    ...groups,
    'Options, anywhere on the line:',
    ...globalOptions.map(({ flags, summary }) => row(flags, summary)),
    row('-h, --help', 'show help; `msgctl <command> --help` for a command'),
    row('-V, --version', 'show the version'),
    '',
    'Topics, as `msgctl help <topic>`:',
    ...topics.map(({ name, summary }) => row(name, summary)),
    '',
    'Try it without an account:',
    '  msgctl whoami --profile sandbox',
    '',
  ].join('\n');
}
