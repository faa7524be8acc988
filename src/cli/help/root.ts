import { nouns } from '../nouns.ts';
import { wrapped } from '../output/wrap.ts';
import { type HelpRow, sectionsText } from './layout.ts';
import { globalRows, topics } from './topics.ts';

const moreRows: readonly HelpRow[] = [
  ['msgctl help commands', 'what each does, topics, global options'],
  ['msgctl <command> --help', 'more about a command'],
  ['msgctl whoami --profile sandbox', 'try it without an account'],
];

/** The help of the program on one screen: the names of its commands by group. @param width the line width in columns */
export function shortHelp(width: number): string {
  const rows = [...Map.groupBy(nouns, ({ group }) => group)].map(([group, of]): HelpRow => [group, of.map(({ name }) => name).join(', ')]);
  const text = `Usage: msgctl <command> [arguments] [options]

${sectionsText([{ title: 'Commands', rows }], width)}
${sectionsText([{ title: 'More', rows: moreRows }], width)}`;
  return wrapped(text, width);
}

/** The help of the program. Does not load the command line parser. @param width the line width in columns */
export function rootHelp(width: number): string {
  const groups = [...new Set(nouns.map(({ group }) => group))];
  const sections = groups.map((title) => ({
    title,
    rows: nouns.filter(({ group }) => group === title).map(({ name, summary }): HelpRow => [name, summary]),
  }));
  const topicRows = topics.map(({ name, summary }): HelpRow => [name, summary]);
  const text = `Operate a customer-messaging account, or run the whole service yourself.

Usage: msgctl <command> [arguments] [options]

${sectionsText([...sections, { title: 'Topics, as `msgctl help <topic>`', rows: topicRows }], width)}
Try it without an account:
  msgctl whoami --profile sandbox

More about a command: msgctl <command> --help

${sectionsText([{ title: 'Global options', rows: globalRows }], width)}`;
  return wrapped(text, width);
}
