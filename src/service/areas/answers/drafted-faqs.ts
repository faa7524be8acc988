import { comparedQuestion } from '../../../contract/areas/faqs/question.ts';
import { firstCharacters } from '../../../contract/text/first-characters.ts';
import { limits } from '../../../contract/limits.ts';
import { sentencesOf } from '../faqs/language/sentences.ts';
import type { DraftedFaq, ReadSection, WriteFaqsRequest } from './writer.ts';

/** The maximum length of the answer from a section, in characters. A longer section becomes several FAQs. */
const answerLength = 2_000;

/** Lets other requests run if a long computation needs it. Call it between the parts of the computation. */
type Pause = () => Promise<void>;

/**
 * Drafts FAQs from a document without a model: first the questions that it marks, then sections whose heading is a question, then
 * the other sections with their headings. Headings that occur more than once are made unique by prepending the heading above
 * them. Sections that still have the same heading become one FAQ, so that nothing is lost.
 */
export async function draftFaqs({ title, sections, marked }: WriteFaqsRequest, pause: Pause): Promise<DraftedFaq[]> {
  const names = await namesOf(sections, title, pause);
  const named = await mergedByQuestion(
    sections.map(({ text }, index) => ({ question: names[index] ?? '', answer: text })),
    pause,
  );
  const split: DraftedFaq[] = [];
  for (const { question, answer } of named) {
    await pause();
    split.push(...partsOf(question, answer));
  }
  // A numbered part can get the same heading as another section.
  const parts = await mergedByQuestion(split, pause);
  const { asked = [], others = [] } = Object.groupBy(parts, ({ question }) => (isQuestion(question) ? 'asked' : 'others'));
  // The sections of a page can repeat the questions that it marks.
  return await eachOnce([...(await mergedByQuestion(marked, pause)), ...asked, ...others], pause);
}

/** Merges drafts with the same question into one that has each of their answers. */
async function mergedByQuestion(drafts: readonly DraftedFaq[], pause: Pause): Promise<DraftedFaq[]> {
  const merged = new Map<string, { question: string; answers: Set<string> }>();
  for (const { question, answer } of drafts) {
    await pause();
    const key = comparedQuestion(question);
    const known = merged.get(key);
    if (known) known.answers.add(answer);
    else merged.set(key, { question, answers: new Set([answer]) });
  }
  return [...merged.values()].map(({ question, answers }) => ({ question, answer: [...answers].join('\n\n') }));
}

/** Removes drafts with a repeated question, and limits the texts to lengths that can be stored. */
export async function eachOnce(drafts: readonly DraftedFaq[], pause: Pause): Promise<DraftedFaq[]> {
  const byQuestion = new Map<string, DraftedFaq>();
  for (const draft of drafts) {
    await pause();
    const question = storable(draft.question);
    const key = comparedQuestion(question);
    if (key !== '' && !byQuestion.has(key)) byQuestion.set(key, { question, answer: storable(draft.answer) });
  }
  return [...byQuestion.values()];
}

/** The heading of each section, or a substitute. A heading can be empty, such as that of a row whose first cell is blank. */
async function namesOf(sections: readonly ReadSection[], title: string | null, pause: Pause): Promise<string[]> {
  const own: { readonly name: string; readonly key: string }[] = [];
  const counts = new Map<string, number>();
  for (const { headings, text } of sections) {
    await pause();
    const name = headings.at(-1) || title || firstSentence(text);
    const key = comparedQuestion(name);
    own.push({ name, key });
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return own.map(({ name, key }, index) => {
    const above = sections[index]?.headings.at(-2);
    return counts.get(key) === 1 || above === undefined ? name : `${above}: ${name}`;
  });
}

/** Splits a section between its paragraphs. */
function partsOf(name: string, text: string): DraftedFaq[] {
  if (text.length <= answerLength) return [{ question: name, answer: text }];
  const answers: string[] = [''];
  for (const piece of text.split('\n\n').flatMap(piecesOf)) {
    const joined = [answers.at(-1), piece].filter(Boolean).join('\n\n');
    if (joined.length <= answerLength) answers[answers.length - 1] = joined;
    else answers.push(piece);
  }
  return answers.map((answer, index) => ({ question: index === 0 ? name : `${name} (${index + 1})`, answer }));
}

/** Splits a paragraph that is too long, at the end of a word and never within a character. */
function piecesOf(paragraph: string): string[] {
  const pieces: string[] = [];
  let rest = paragraph;
  while (rest.length > answerLength) {
    const space = rest.lastIndexOf(' ', answerLength);
    const isPair = /[\ud800-\udbff]/.test(rest.charAt(answerLength - 1));
    const end = space > answerLength / 2 ? space : answerLength - (isPair ? 1 : 0);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...pieces, rest];
}

function isQuestion(text: string): boolean {
  return /[?？؟]\s*(\(\d+\))?$/u.test(text);
}

/** The longest first sentence that is a question, and how much of a longer one is. */
const sentenceLength = 150;
const beginningLength = 100;

function firstSentence(text: string): string {
  const beginning = text
    .slice(0, 2 * sentenceLength)
    .replace(/\s+/gu, ' ')
    .trim();
  const sentence = beginning.slice(0, sentencesOf(beginning)[0]?.end).trim();
  return sentence.length <= sentenceLength && /[.!?。]$/u.test(sentence) ? sentence : beginning.slice(0, beginningLength).trim();
}

/** A text that a FAQ allows and that PostgreSQL can store: without NUL or lone surrogates. */
function storable(text: string): string {
  return firstCharacters(text, limits.textLength).toWellFormed().replaceAll('\0', '\uFFFD');
}
