import type { Noun, NounEntry, Verb } from '../verb/noun.ts';
import { shownFields } from '../verb/shown-fields.ts';
import { argumentsOf, optionsOf } from '../verb/verb-options.ts';
import { globalOptions } from '../global-options.ts';
import { nouns } from '../nouns.ts';
import { wrapped } from '../output/wrap.ts';
import { examplesText } from './examples.ts';
import type { HelpRow } from './layout.ts';
import { optionRow } from './option-row.ts';

/** The words of a verb after `msgctl`. */
export function wordsOf(noun: Noun, verb: Verb): string {
  return `${noun.name} ${verb.name}`.trim();
}

/** Every command with its arguments, options, fields and examples, as Markdown with lines of at most `width` columns. */
export async function reference(width: number): Promise<string> {
  const sections = await Promise.all(nouns.map(async (entry) => nounLines(await entry.load(), entry, width)));
  return [
    '# Commands of msgctl',
    '',
    'Every command takes these global options, anywhere on the line:',
    '',
    ...rowLines(globalOptions.map(optionRow), width),
    '',
    ...sections.flat(),
  ].join('\n');
}

function nounLines(noun: Noun, { summary, note }: NounEntry, width: number): string[] {
  const verbs = noun.verbs.flatMap((verb) => [...(verb.name === '' ? [] : titleLines(noun, verb, width)), ...verbLines(noun, verb, width)]);
  return [`## ${noun.name}`, '', wrapped(`${summary}.`, width), '', ...section(note === undefined ? [] : [note]), ...verbs];
}

function titleLines(noun: Noun, verb: Verb, width: number): string[] {
  return [`### msgctl ${wordsOf(noun, verb)}`, '', wrapped(`${verb.summary}.`, width), ''];
}

function verbLines(noun: Noun, verb: Verb, width: number): string[] {
  const options = optionsOf(verb);
  const args = argumentsOf(verb);
  const usage = ['msgctl', wordsOf(noun, verb), ...args.map((each) => each.usage), options.length > 0 ? '[options]' : ''];
  const fields = shownFields(verb);
  const argumentRows = args.map((each): HelpRow => [each.usage, each.summary]);
  return [
    '```',
    usage.join(' ').trim(),
    '```',
    '',
    ...section(rowLines(argumentRows, width)),
    ...section(rowLines(options.map(optionRow), width)),
    ...section(fields.length > 0 ? [wrapped(`Fields: ${fields.join(', ')}`, width)] : []),
    '```sh',
    examplesText(verb.examples, width).replaceAll(/^ {2}/gm, '').trimEnd(),
    '```',
    '',
  ];
}

function section(lines: readonly string[]): string[] {
  return lines.length > 0 ? [...lines, ''] : [];
}

function rowLines(rows: readonly HelpRow[], width: number): string[] {
  return rows.map(([term, text]) => wrapped(`- \`${term}\`: ${text}`, width - 2).replaceAll('\n', '\n  '));
}
