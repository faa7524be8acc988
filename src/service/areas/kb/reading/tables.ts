import { csvRecordsOf, CsvRecordTooLong } from '../../../../contract/csv.ts';
import { findSeparator } from '../../../../contract/separators.ts';
import { openWorkbook } from '../../../../workbook/open.ts';
import { WorkbookError } from '../../../../workbook/error.ts';
import { decodeText } from './charset.ts';
import { type MarkedFaq, type ReadDocument, type Section, Unreadable } from './document.ts';
import { tidy } from './sections.ts';

/** The size limit of a row, in bytes. */
const rowBytes = 1_000_000;

/** Common names for the columns of questions and answers. */
const questionNames = ['question', 'questions', 'q', 'faq', 'frage', 'pregunta', 'domanda', 'vraag', 'pergunta'];
const answerNames = ['answer', 'answers', 'a', 'reply', 'response', 'antwort', 'respuesta', 'réponse', 'risposta', 'antwoord', 'resposta'];

/** Reads CSV with any of the common separators. @param contentType the header of a page @throws Unreadable */
export function readCsv(bytes: Buffer, contentType: string | null): ReadDocument {
  return readRecords(parseCsv(decodeText(bytes, contentType)));
}

function parseCsv(text: string): (readonly string[])[] {
  const { separator, isNamed } = findSeparator(text, ',');
  try {
    const records = csvRecordsOf(text, separator, rowBytes).map(({ cells }) => cells);
    return [...(isNamed ? records.drop(1) : records)];
  } catch (error) {
    if (error instanceof CsvRecordTooLong)
      throw new Unreadable('A row is longer than 1 MB: check that every quote is closed', { cause: error });
    throw error;
  }
}

/** Reads the sheets of an Excel workbook, each as a separate table. @throws Unreadable */
export async function readXlsx(bytes: Buffer): Promise<ReadDocument> {
  try {
    const { visible } = await openWorkbook(only(bytes), rowBytes, { leavesOutStruck: true });
    const tables: ReadDocument[] = [];
    const failures: unknown[] = [];
    for (const { records } of visible) {
      try {
        tables.push(readRecords(await Array.fromAsync(records, ({ cells }) => cells)));
      } catch (error) {
        // The other sheets are still read.
        failures.push(error);
      }
    }
    if (tables.length === 0) throw failures[0];
    return { title: null, faqs: tables.flatMap(({ faqs }) => faqs), sections: tables.flatMap(({ sections }) => sections) };
  } catch (error) {
    if (error instanceof WorkbookError) throw new Unreadable([error.message, error.hint].filter(Boolean).join('. '), { cause: error });
    throw error;
  }
}

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/**
 * In a table with columns for questions and answers, each row is a FAQ. In any other table, each row is a section: its heading is
 * the first cell, and its text has all cells with the names of their columns.
 */
function readRecords([header = [], ...rows]: readonly (readonly string[])[]): ReadDocument {
  const names = header.map((name) => tidy(name));
  const place = (known: string) => names.findIndex((name) => name.toLowerCase() === known);
  // In the order of the known names: the first ones are the most reliable.
  const column = (known: readonly string[]) => known.map(place).find((index) => index >= 0) ?? -1;
  const [question, answer] = [column(questionNames), column(answerNames)];
  const filled = rows.filter((cells) => cells.some((cell) => cell.trim() !== ''));
  if (question >= 0 && answer >= 0) {
    const faqs = filled
      .map((cells): MarkedFaq => ({ question: tidy(cells[question] ?? ''), answer: (cells[answer] ?? '').trim() }))
      .filter((faq) => faq.question !== '' && faq.answer !== '');
    return { title: null, sections: faqs.map((faq) => ({ headings: [faq.question], text: faq.answer })), faqs };
  }
  return { title: null, faqs: [], sections: filled.map((cells) => rowSection(names, cells)) };
}

function rowSection(names: readonly string[], cells: readonly string[]): Section {
  const named = cells.map((cell, index) => ({ name: names[index] ?? '', text: tidy(cell) })).filter(({ text }) => text !== '');
  return {
    headings: named[0] ? [named[0].text] : [],
    text: named.map(({ name, text }) => (name === '' ? text : `${name}: ${text}`)).join('\n'),
  };
}
