import type { Noun, Verb } from '../command/noun.ts';
import { shownFields } from '../command/shown-fields.ts';
import { argumentsOf, optionsOf } from '../command/verb-options.ts';
import { globalOptions } from '../global-options.ts';
import { type NounEntry, nouns } from '../nouns.ts';

/** The words of a verb after `msgctl`. */
export function wordsOf(noun: Noun, verb: Verb): string {
  return `${noun.name} ${verb.name}`.trim();
}

/** Every command with its arguments, options, fields and examples, as Markdown. */
export async function reference(): Promise<string> {
  const sections = await Promise.all(nouns.map(async (entry) => nounLines(await entry.load(), entry)));
  return [
    '<!-- Generated from the commands by `npm run generate`. Do not edit. -->',
    '',
    '# Commands of msgctl',
    '',
    'Every command takes these global options, anywhere on the line:',
    '',
    ...optionLines(globalOptions),
    '',
    ...sections.flat(),
  ].join('\n');
}

function nounLines(noun: Noun, { summary, note }: NounEntry): string[] {
  const verbs = noun.verbs.flatMap((verb) => [...(verb.name === '' ? [] : titleLines(noun, verb)), ...verbLines(noun, verb)]);
  return [`## ${noun.name}`, '', `${summary}.`, '', ...section(note === undefined ? [] : [note]), ...verbs];
}

function titleLines(noun: Noun, verb: Verb): string[] {
  return [`### msgctl ${wordsOf(noun, verb)}`, '', `${verb.summary}.`, ''];
}

function verbLines(noun: Noun, verb: Verb): string[] {
  const options = optionsOf(verb);
  const args = argumentsOf(verb);
  const usage = ['msgctl', wordsOf(noun, verb), ...args.map((each) => each.usage), options.length > 0 ? '[options]' : ''];
  const fields = shownFields(verb);
  return [
    '```',
    usage.join(' ').trim(),
    '```',
    '',
    ...section(args.map((each) => `- \`${each.usage}\`: ${each.summary}`)),
    ...section(optionLines(options)),
    ...section(fields.length > 0 ? [`Fields: ${fields.join(', ')}`] : []),
    ...verb.examples.flatMap(([line, purpose], index) => [index === 0 ? '```console' : [], `$ ${line}  # ${purpose}`].flat()),
    '```',
    '',
  ];
}

function section(lines: readonly string[]): string[] {
  return lines.length > 0 ? [...lines, ''] : [];
}

function optionLines(options: readonly { flags: string; summary: string }[]): string[] {
  return options.map(({ flags, summary }) => `- \`${flags}\`: ${summary}`);
}
