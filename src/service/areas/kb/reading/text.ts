import { decodeText } from './charset.ts';
import type { ReadDocument } from './document.ts';
import { SectionWriter } from './sections.ts';

/** Prefixes of questions and answers in plain text. */
const marks = { question: /^\s*q(?:uestion)?\s*:\s*/i, answer: /^\s*a(?:nswer)?\s*:\s*/i };

/** The maximum length of a line that counts as a question, in characters. */
const questionLength = 300;

/**
 * Reads plain text, whose paragraphs are separated by blank lines. A line with `Q:`, or the first line of a paragraph if it ends
 * with a question mark, becomes the heading of the text that follows.
 * @param contentType the header of a page
 */
export function readText(bytes: Buffer, contentType: string | null): ReadDocument {
  const writer = new SectionWriter();
  let paragraph: string[] = [];
  let question: string | null = null;
  const endParagraph = () => {
    if (paragraph.length > 0 && question !== null) {
      writer.heading(1, question);
      question = null;
    }
    writer.paragraph(paragraph.join('\n'));
    paragraph = [];
  };
  /** A question without an answer is treated as text. */
  const endQuestion = () => {
    if (question !== null) writer.paragraph(question);
    question = null;
  };
  for (const line of textLines(bytes, contentType)) {
    const isMarked = marks.question.test(line);
    if (line.trim() === '' || isMarked) endParagraph();
    if (isMarked || (paragraph.length === 0 && line.length <= questionLength && /[?？؟]\s*$/u.test(line))) {
      endQuestion();
      question = line.replace(marks.question, '');
    } else if (line.trim() !== '') paragraph.push(question !== null && paragraph.length === 0 ? line.replace(marks.answer, '') : line);
  }
  endParagraph();
  endQuestion();
  return { title: null, sections: writer.end(), faqs: [] };
}

/** The lines of a text file. @param contentType the header of a page */
export function textLines(bytes: Buffer, contentType: string | null): string[] {
  return decodeText(bytes, contentType).split(/\r\n?|\n/);
}
