import type { Verb } from '../verb/noun.ts';
import { argumentsOf, optionsOf } from '../verb/verb-options.ts';
import { globalOptions } from '../global-options.ts';
import { nouns } from '../nouns.ts';
import { examplesText } from './examples.ts';
import type { HelpRow } from './layout.ts';
import { optionRow } from './option-row.ts';
import { wordsOf } from './reference.ts';
import { findTopic } from './topics.ts';

/** The width of preformatted text in columns: a page without its margin. */
const textWidth = 72;

/** The manual page of the program, in troff with the macros of man(7). */
export async function manPage(): Promise<string> {
  const lines = [
    '.TH MSGCTL 1 "" msgctl "User Commands"',
    '.SH NAME',
    'msgctl \\- operate a customer\\-messaging account, or run the whole service yourself',
    '.SH SYNOPSIS',
    '.B msgctl',
    '.I command',
    '[\\fIarguments\\fR] [\\fIoptions\\fR]',
    '.SH GLOBAL OPTIONS',
    ...globalOptions.map(optionRow).flatMap(option),
    '.SH COMMANDS',
  ];
  for (const entry of nouns) {
    const noun = await entry.load();
    for (const verb of noun.verbs) lines.push(...command(wordsOf(noun, verb), verb));
  }
  for (const name of ['output', 'profiles', 'environment', 'exit-codes'])
    lines.push(`.SH ${name.toUpperCase().replace('-', ' ')}`, '.nf', ...(await topicLines(name)), '.fi');
  return `${lines.join('\n')}\n`;
}

function command(words: string, verb: Verb): string[] {
  const args = argumentsOf(verb);
  const usage = args.map((each) => ` ${plain(each.usage)}`).join('');
  return [
    `.SS ${plain(`msgctl ${words}`)}${usage}`,
    text(`${verb.summary}.`),
    ...args.flatMap((each) => ['.TP', `.I ${plain(each.usage)}`, text(each.summary)]),
    ...optionsOf(verb).map(optionRow).flatMap(option),
    '.PP',
    'Examples:',
    '.nf',
    ...examplesText(verb.examples, textWidth).trimEnd().split('\n').map(text),
    '.fi',
  ];
}

function option([flags, summary]: HelpRow): string[] {
  return ['.TP', `.B ${plain(flags)}`, text(summary)];
}

async function topicLines(name: string): Promise<string[]> {
  const [, , ...lines] = ((await findTopic([name])?.text(textWidth)) ?? '').trimEnd().split('\n');
  return lines.map(text);
}

/** Escapes a line so that troff does not interpret it as a request. */
function text(line: string): string {
  const escaped = plain(line);
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

function plain(line: string): string {
  return line.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll("'", '\\(aq').replaceAll('`', '\\(ga');
}
