import { type NamedVerb, nextWords } from '../verb/verbs.ts';
import type { Noun, NounEntry, Verb } from '../verb/noun.ts';
import { argumentsOf, optionsOf } from '../verb/verb-options.ts';
import { wrapped } from '../output/wrap.ts';
import { examplesText } from './examples.ts';
import { type HelpRow, type Section, sectionsText } from './layout.ts';
import { optionRow } from './option-row.ts';
import { topics } from './topics.ts';

const globalOptionsHint = 'Global options, such as --output and --profile: msgctl help options';

/** The last lines of a help text: the help topic of the noun, if there is one, and the global options. */
function closingOf(words: string): string {
  const [noun = ''] = words.split(' ');
  return `${topics.some(({ name }) => name === noun) ? `More about ${noun}: msgctl help ${noun}\n` : ''}${globalOptionsHint}`;
}

/** Number of examples in the help of a noun. */
const examplesOfNoun = 4;

/** The help of a verb: its description, arguments, options and examples. */
export function verbHelp({ verb, words }: NamedVerb, width: number): string {
  const args = argumentsOf(verb);
  const options = optionsOf(verb);
  const required = options.filter(({ isRequired }) => isRequired);
  const others = options.filter(({ isRequired }) => !isRequired);
  const usage = [
    ...args.map((argument) => argument.usage),
    ...required.map(({ flags }) => flags.replace(/^-\w, /, '')),
    ...(others.length > 0 ? ['[options]'] : []),
  ];
  return helpText({
    summary: verb.summary,
    usage: [words, ...usage],
    sections: [
      { title: 'Arguments', rows: args.map(({ usage, summary }): HelpRow => [usage, summary]) },
      { title: 'Options', rows: [...required, ...others].map(optionRow) },
    ],
    examples: verb.examples,
    closing: closingOf(words),
    width,
  });
}

/**
 * The help of a noun or of a group of its verbs: the verbs, and examples of the most common ones.
 * @param group the words with which the names of the verbs begin, such as `clock` for `clock advance`; empty for all verbs
 */
export function nounHelp({ summary, note }: NounEntry, noun: Noun, group: readonly string[], width: number): string {
  const words = [noun.name, ...group].join(' ');
  return helpText({
    summary: noun.groups?.[group[0] ?? ''] ?? summary,
    note,
    usage: [words, '<command>', '[arguments]', '[options]'],
    sections: [{ title: 'Commands', rows: nextWords(noun, group) }],
    examples: typicalExamples(noun.verbs.filter(({ name }) => `${noun.name} ${name} `.startsWith(`${words} `))),
    closing: `More about a command: msgctl ${words} <command> --help\n${closingOf(words)}`,
    width,
  });
}

interface HelpText {
  readonly summary: string;
  readonly note?: string | undefined;
  readonly usage: readonly string[];
  readonly sections: readonly Section[];
  readonly examples: Verb['examples'];
  readonly closing: string;
  readonly width: number;
}

function helpText({ summary, note, usage, sections, examples, closing, width }: HelpText): string {
  const lead = 'Usage: ';
  const parts = [
    wrapped(summary, width),
    ...(note === undefined ? [] : [wrapped(note, width)]),
    lead + wrapped(`msgctl ${usage.join(' ')}`, width - lead.length).replaceAll('\n', `\n${' '.repeat(lead.length)}`),
    sectionsText(sections, width).trimEnd(),
    `Examples:\n${examplesText(examples, width)}`.trimEnd(),
    wrapped(closing, width),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** One example for each of the verbs that a new user needs first. Excludes verbs whose action cannot be undone. */
function typicalExamples(verbs: readonly Verb[]): Verb['examples'] {
  const rank = ({ name }: Verb) => (name === 'list' ? 0 : name === 'create' ? 1 : /^(get|update|delete)$/.test(name) ? 3 : 2);
  const harmless = verbs.filter(({ confirm }) => !confirm).sort((one, other) => rank(one) - rank(other));
  return harmless.slice(0, examplesOfNoun).flatMap(({ examples }) => examples.slice(0, 1));
}
