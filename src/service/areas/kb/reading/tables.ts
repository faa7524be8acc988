import { csvRecordsOf, CsvRecordTooLong } from '../../../../contract/text/csv.ts';
import { findSeparator } from '../../../../contract/text/separators.ts';
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
    if (tables.length === 0 && failures.length > 0) throw failures[0];
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
function readRecords(records: readonly (readonly string[])[]): ReadDocument {
  const all = records.filter((cells) => filledCells(cells).length > 0);
  const heading = headingIndex(all);
  const [above, names, filled] = [all.slice(0, heading), (all[heading] ?? []).map(tidy), all.slice(heading + 1)];
  const title = tidy(above.flatMap(filledCells).join(' '));
  const { question, answer } = faqColumns(names);
  if (question >= 0 && answer >= 0) {
    const faqs = filled
      .map((cells): MarkedFaq => ({ question: tidy(cells[question] ?? ''), answer: (cells[answer] ?? '').trim() }))
      .filter((faq) => faq.question !== '' && faq.answer !== '');
    return { title: null, sections: faqs.map((faq) => ({ headings: [faq.question], text: faq.answer })), faqs };
  }
  return { title: null, faqs: [], sections: filled.map((cells) => rowSection(title, names, cells)) };
}

/** The number of rows in which the heading of a table is looked for. */
const headingRows = 20;

/** The row with the names of the columns: the first one with those of a FAQ, or with more cells than a title has. */
function headingIndex(records: readonly (readonly string[])[]): number {
  const first = records.slice(0, headingRows);
  const faqs = first.findIndex((cells) => {
    const { question, answer } = faqColumns(cells.map(tidy));
    return question >= 0 && answer >= 0;
  });
  return Math.max(0, faqs >= 0 ? faqs : first.findIndex((cells) => filledCells(cells).length > 1));
}

/** The columns of questions and of answers; -1 without one. */
function faqColumns(names: readonly string[]): { readonly question: number; readonly answer: number } {
  const place = (known: string) => names.findIndex((name) => name.toLowerCase() === known);
  // In the order of the known names: the first ones are the most reliable.
  const column = (known: readonly string[]) => known.map(place).find((index) => index >= 0) ?? -1;
  return { question: column(questionNames), answer: column(answerNames) };
}

function filledCells(cells: readonly string[]): readonly string[] {
  return cells.filter((cell) => cell.trim() !== '');
}

/** @param title what stands above the table; empty without one */
function rowSection(title: string, names: readonly string[], cells: readonly string[]): Section {
  const named = cells.map((cell, index) => ({ name: names[index] ?? '', text: tidy(cell) })).filter(({ text }) => text !== '');
  return {
    headings: [title, named[0]?.text ?? ''].filter((heading) => heading !== ''),
    text: named.map(({ name, text }) => (name === '' ? text : `${name}: ${text}`)).join('\n'),
  };
}
