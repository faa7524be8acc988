import type { Noun, NounEntry, Verb } from '../verb/noun.ts';
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

/** The manual pages, in troff with the macros of man(7), by their file names: one of the program, and one of each noun. */
export async function manPages(): Promise<Record<string, string>> {
  const pages: Record<string, string> = { 'msgctl.1': page(await programLines()) };
  for (const entry of nouns) pages[fileOf(entry)] = page(nounLines(await entry.load(), entry));
  return pages;
}

function page(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

/** The name of a noun's manual page, as git and others name those of their commands. */
function pageOf({ name }: NounEntry): string {
  return `msgctl-${name}`;
}

function fileOf(entry: NounEntry): string {
  return `${pageOf(entry)}.1`;
}

/** The file names of all manual pages, in the order of the help. */
export const manFiles: readonly string[] = ['msgctl.1', ...nouns.map(fileOf)];

async function programLines(): Promise<string[]> {
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
    'Each has a page of its own:',
    ...nouns.flatMap((entry) => ['.TP', `.BR ${plain(pageOf(entry))} (1)`, text(`${entry.summary}.`)]),
  ];
  for (const name of ['output', 'profiles', 'environment', 'exit-codes'])
    lines.push(`.SH ${name.toUpperCase().replace('-', ' ')}`, '.nf', ...(await topicLines(name)), '.fi');
  return lines;
}

function nounLines(noun: Noun, entry: NounEntry): string[] {
  const { summary, note } = entry;
  return [
    `.TH ${plain(pageOf(entry).toUpperCase())} 1 "" msgctl "User Commands"`,
    '.SH NAME',
    text(`${pageOf(entry)} - ${summary}`),
    ...(note === undefined ? [] : ['.SH DESCRIPTION', text(note)]),
    '.SH COMMANDS',
    ...noun.verbs.flatMap((verb) => command(wordsOf(noun, verb), verb)),
    '.SH SEE ALSO',
    '.BR msgctl (1),',
    'for the options that every command takes',
  ];
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
