import { foldAccents } from '../../../contract/text/fold.ts';
import { type Phrases, phrases } from './phrases.ts';

/** The maximum length of a greeting, in characters. A longer message is more than a greeting. */
const longestGreeting = 80;

/** The maximum number of characters of a question that a contact is asked to choose from. */
const shownQuestion = 150;

/** Folds variants of letters, and removes everything that is neither a letter nor a digit. */
function plain(text: string): string {
  return foldAccents(text)
    .replace(/['’]/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The phrases of an agent, found by the code of its language, such as `de` or `de-CH`, or by one of its names. */
function phrasesFor(language: string | null): Phrases {
  const text = plain(language ?? '');
  const [code] = text.split(' ');
  const words = new Set(text.split(' '));
  const isNamed = ({ names }: Phrases) =>
    names.map(plain).some((name) => name === text || name === code || (name.length > 3 && words.has(name)));
  return phrases.find(isNamed) ?? phrases[0];
}

/** The greeting of an agent. */
export function greetingOf(name: string | null, language: string | null): string {
  const { greeting, plainGreeting } = phrasesFor(language);
  return name === null || name.trim() === '' ? plainGreeting : greeting.replace('{name}', () => name.trim());
}

/** The sentence which says that a person will take over. */
export function handoverOf(language: string | null): string {
  return phrasesFor(language).handover;
}

/** The sentence that asks which of some questions is meant, and the questions with their numbers. */
export function clarifyingOf(questions: readonly string[], language: string | null): string {
  const numbered = questions.map((question, index) => `${index + 1}. ${shortened(question.trim().replace(/\s+/gu, ' '))}`);
  return [phrasesFor(language).clarify, ...numbered].join('\n');
}

/** A text of at most 150 characters, cut after a word. */
function shortened(text: string): string {
  if (text.length <= shownQuestion) return text;
  const start = text.slice(0, shownQuestion);
  return `${start.slice(0, Math.max(start.lastIndexOf(' '), shownQuestion / 2)).trimEnd()}…`;
}

let pattern: RegExp | undefined;

/** Matches a text that consists only of greetings, in any language. */
function greetingPattern(): RegExp {
  return (pattern ??= makePattern());
}

function makePattern(): RegExp {
  // Longer greetings are tried first.
  const all = [...new Set(phrases.flatMap(({ greetings }) => greetings.map(plain)))].sort((a, b) => b.length - a.length);
  return new RegExp(`^(?:(?:${all.join('|')})(?:\\s+|$|(?<=[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}])))+$`, 'u');
}

/** Whether a message is only a greeting, in any of the languages. @param name the agent's name, which the greeting may include */
export function isGreeting(message: string, name: string | null): boolean {
  if (message.length > longestGreeting) return false;
  const text = plain(message);
  // oxlint-disable-next-line project/restricted-syntax -- a message of a contact
  if (text === '') return message.includes('👋');
  if (greetingPattern().test(text)) return true;
  const addressed = plain(name ?? '');
  if (addressed === '' || !` ${text} `.includes(` ${addressed} `)) return false;
  const rest = ` ${text} `.replace(` ${addressed} `, ' ').trim();
  return rest === '' || greetingPattern().test(rest);
}
