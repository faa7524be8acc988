import { extname } from 'node:path';
import { Writable } from 'node:stream';
import { listFaqs } from '../../../contract/areas/faqs/endpoints.ts';
import { readFields } from '../../verb/fields.ts';
import type { FieldSpec, Options, Session } from '../../verb/noun.ts';
import { isSelection, openOutputFile } from '../../verb/output-file.ts';
import { usageError } from '../../errors.ts';
import type { OutputFormat } from '../../global-options.ts';
import { counted } from '../../../contract/text/counted.ts';
import { selectFields } from '../../output/fields.ts';
import { print } from '../../output/print.ts';
import { type Result, wholeList } from '../../output/result.ts';
import { formatOf } from '../../rows/files/open.ts';
import { type Faq, orderedFaqs } from './read.ts';
import { exportColumns, exportFormats } from './formats.ts';
import { faqKind } from './import.ts';
import { markdownText } from './markdown.ts';

type ExportFormat = (typeof exportFormats)[number];

/**
 * Exports FAQs in order, to stdout or the file given with `--out`. The format is given by `--format`, or else by the file's
 * extension, or else by `-o`; the default is CSV.
 * @param fields the filter options
 * @throws CliError 1 if the file cannot be written; 2 if it already exists or its extension is unknown; 5 if there is no such
 * campaign
 */
export async function exportFaqs(session: Session, options: Options, fields: readonly FieldSpec[]): Promise<Result> {
  const { out, format } = options as { out?: string; format?: ExportFormat };
  const { globals, notes, targets } = session;
  const isSelected = isSelection(globals, options);
  const path = out === '-' ? undefined : out;
  const { query } = await readFields(listFaqs, fields, options, session);
  const chosen = format ?? (path === undefined ? undefined : namedFormat(path));
  const file = path === undefined ? undefined : openOutputFile(path, { flag: '--out', what: 'the FAQs', replaces: globals.yes });
  try {
    const client = await targets.client();
    const faqs = await orderedFaqs(client, query);
    const list = { ...wholeList('faqs', faqs), columns: exportColumns } as const;
    if (isSelected || (path === undefined && chosen === undefined && globals.output !== 'table')) return list;
    const text = await textOf(session, faqs, list, chosen ?? 'csv');
    if (file) {
      file.commit(text);
      notes.say(`Exported ${counted(faqs.length, 'FAQ')} to ${path}.`);
      const record = { file: path, exported_count: faqs.length };
      return { kind: 'record', answer: record, record, columns: [] };
    }
    return { kind: 'value', value: text, text };
  } finally {
    file?.close();
  }
}

/** @throws CliError 2 if the file's extension is not a supported format */
function namedFormat(path: string): ExportFormat {
  const named = formatOf(path, faqKind);
  const format = exportFormats.find((each) => each === named);
  // A file named faqs.txt or faqs.tsv would be read with another separator.
  if (format === undefined || (format === 'csv' && extname(path).toLowerCase() !== '.csv'))
    throw usageError(
      `--out ${path}: the file name does not say which format to use`,
      `Name the format: --format ${exportFormats.join(', ')}`,
    );
  return format;
}

/** The fields that Markdown cannot contain. It has only questions and answers, in order. */
function leftOut(faqs: readonly Faq[]): string[] {
  return [
    faqs.some(({ category }) => category !== null) && 'categories',
    faqs.some(({ tags }) => tags.length > 0) && 'tags',
    faqs.some(({ is_active: isActive }) => !isActive) && 'which FAQs are off',
    faqs.some(({ is_global: isGlobal }) => isGlobal) && 'which FAQs are global',
  ].filter((each) => each !== false);
}

/** FAQs as the contents of a file. */
async function textOf({ globals, world, notes }: Session, faqs: readonly Faq[], list: Result, format: ExportFormat): Promise<string> {
  if (format === 'md') {
    const left = leftOut(faqs);
    if (left.length > 0) notes.say(`Markdown contains only questions and answers, not ${left.join(', ')}. --format csv keeps all fields.`);
    return markdownText(faqs);
  }
  const chunks: Buffer[] = [];
  const stdout = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  const { fields, style } = globals;
  const shown = Array.isArray(fields) ? selectFields(list, fields as readonly string[]) : list;
  await print(shown, {
    format: format satisfies OutputFormat,
    style,
    columns: exportColumns,
    wide: false,
    world: Object.create(world, { stdout: { value: stdout } }) as typeof world,
    notes,
    pager: undefined,
    mustArrive: true,
  });
  return Buffer.concat(chunks).toString();
}
