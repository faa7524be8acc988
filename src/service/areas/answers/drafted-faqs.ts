import { comparedQuestion } from '../../../contract/areas/faqs/question.ts';
import { firstCharacters } from '../../../contract/first-characters.ts';
import { limits } from '../../../contract/limits.ts';
import type { DraftedFaq, ReadSection, WriteFaqsRequest } from './writer.ts';

/** The maximum length of the answer from a section, in characters. A longer section becomes several FAQs. */
const answerLength = 2_000;

/**
 * Drafts FAQs from a document without a model: first the questions that it marks, then sections whose heading is a question, then
 * the other sections with their headings. Headings that occur more than once are made unique by prepending the heading above
 * them. Sections that still have the same heading become one FAQ, so that nothing is lost.
 */
export function draftFaqs({ title, sections, marked }: WriteFaqsRequest): DraftedFaq[] {
  const names = namesOf(sections, title);
  const named = mergedByQuestion(sections.map(({ text }, index) => ({ question: names[index] ?? '', answer: text })));
  // A numbered part can get the same heading as another section.
  const parts = mergedByQuestion(named.flatMap(({ question, answer }) => partsOf(question, answer)));
  const asked = parts.filter(({ question }) => isQuestion(question));
  const others = parts.filter(({ question }) => !isQuestion(question));
  // The sections of a page can repeat the questions that it marks.
  return eachOnce([...mergedByQuestion(marked), ...asked, ...others]);
}

/** Merges drafts with the same question into one that has each of their answers. */
function mergedByQuestion(drafts: readonly DraftedFaq[]): DraftedFaq[] {
  return [...Map.groupBy(drafts, ({ question }) => comparedQuestion(question)).values()].map((same) => ({
    question: same[0]?.question ?? '',
    answer: [...new Set(same.map(({ answer }) => answer))].join('\n\n'),
  }));
}

/** Removes drafts with a repeated question, and limits the texts to lengths that can be stored. */
export function eachOnce(drafts: readonly DraftedFaq[]): DraftedFaq[] {
  const seen = new Set<string>();
  const isNew = ({ question }: DraftedFaq) => {
    const key = comparedQuestion(question);
    return key !== '' && !seen.has(key) && seen.add(key);
  };
  return drafts.map(({ question, answer }) => ({ question: storable(question), answer: storable(answer) })).filter(isNew);
}

/** The heading of each section, or a substitute. A heading can be empty, such as that of a row whose first cell is blank. */
function namesOf(sections: readonly ReadSection[], title: string | null): string[] {
  const own = sections.map(({ headings, text }) => headings.at(-1) || title || firstSentence(text));
  const counts = new Map<string, number>();
  for (const name of own) counts.set(comparedQuestion(name), (counts.get(comparedQuestion(name)) ?? 0) + 1);
  return own.map((name, index) => {
    const above = sections[index]?.headings.at(-2);
    const isUnique = counts.get(comparedQuestion(name)) === 1;
    return isUnique || above === undefined ? name : `${above}: ${name}`;
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

function firstSentence(text: string): string {
  return (/^.{1,150}?[.!?。](?=\s|$)/su.exec(text)?.[0] ?? text.slice(0, 100)).replace(/\s+/gu, ' ').trim();
}

/** A text that a FAQ allows and that PostgreSQL can store: without NUL or lone surrogates. */
function storable(text: string): string {
  return firstCharacters(text, limits.textLength).toWellFormed().replaceAll('\0', '\uFFFD');
}
