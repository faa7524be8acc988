import { type Noun, optionsOf, type Verb } from '../command/command.ts';
import { globalOptions } from '../command/global-options.ts';
import { nouns } from '../nouns.ts';
import { fieldsOf } from '../output/fields.ts';

/** The words of a verb after `msgctl`. */
export function wordsOf(noun: Noun, verb: Verb): string {
  return `${noun.name} ${verb.name}`.trim();
}

/** Every command with its arguments, options, fields and examples, as Markdown. */
export async function reference(): Promise<string> {
  const loaded = await Promise.all(nouns.map((entry) => entry.load()));
  return [
    '# Commands of msgctl',
    '',
    'Every command also takes the global options, anywhere on the line:',
    '',
    ...optionLines(globalOptions),
    '',
    ...loaded.flatMap(nounLines),
  ].join('\n');
}

function nounLines(noun: Noun): string[] {
  const verbs = noun.verbs.flatMap((verb) => [...(verb.name === '' ? [] : titleLines(noun, verb)), ...verbLines(noun, verb)]);
  return [`## ${noun.name}`, '', `${noun.summary}.`, '', ...verbs];
}

function titleLines(noun: Noun, verb: Verb): string[] {
  return [`### msgctl ${wordsOf(noun, verb)}`, '', `${verb.summary}.`, ''];
}

function verbLines(noun: Noun, verb: Verb): string[] {
  const options = optionsOf(verb);
  const usage = ['msgctl', wordsOf(noun, verb), ...(verb.arguments ?? []).map(([name]) => name), options.length > 0 ? '[options]' : ''];
  const fields = fieldsOf(verb);
  return [
    '```',
    usage.join(' ').trim(),
    '```',
    '',
    ...section((verb.arguments ?? []).map(([name, summary]) => `- \`${name}\`: ${summary}`)),
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
