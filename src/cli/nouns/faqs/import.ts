import type * as z from 'zod';
import * as contract from '../../../contract/areas/faqs/endpoints.ts';
import { comparedQuestion } from '../../../contract/areas/faqs/question.ts';
import { problemOf } from '../../../contract/issues.ts';
import { readFields } from '../../verb/fields.ts';
import type { FieldSpec, Options, Session } from '../../verb/noun.ts';
import { counted, digits } from '../../../contract/text/counted.ts';
import type { Result, ResultRow } from '../../output/result.ts';
import { Calls, type Send } from '../../rows/calls.ts';
import { checkRows } from '../../rows/check.ts';
import type { RecordKind } from '../../rows/files/source.ts';
import { checkColumns, isHeading, mappingNote, readWanted, RowMapper } from '../../rows/headers.ts';
import { openInput } from '../../rows/input.ts';
import { type Prepare, preparation, type PreparedRow } from '../../rows/prepare.ts';
import { openRejects, startRun } from '../../rows/run.ts';
import type { SkippedRow, ReadStep } from '../../rows/steps.ts';
import { faqColumns } from './columns.ts';
import { markdownRows } from './markdown.ts';

/** FAQs as records in files. */
export const faqKind: RecordKind = { list: 'faqs', ownFormats: { md: markdownRows } };

/**
 * Imports the FAQs of a file into a campaign. The rows of the result are those that were rejected. A dry run only validates the
 * rows and sends nothing.
 * @param fields the option for the campaign
 * @throws CliError 1 if the file cannot be read; 2 if it has no column with questions or answers, or an option does not fit; 5
 * if there is no such campaign
 */
export async function importFaqs(
  session: Session,
  [file = '']: readonly string[],
  options: Options,
  fields: readonly FieldSpec[],
): Promise<Result> {
  const { body } = await readFields(contract.importFaqs, fields, options, session);
  const campaignId = body.campaign_id as string;
  const wanted = readWanted((options.map as string[] | undefined) ?? [], faqColumns);
  const input = await openInput(file, faqKind, session.world, options, (cells) => isHeading(cells, wanted, faqColumns));
  const { format, headers, rows } = input.source;
  checkColumns(input.source, wanted, faqColumns);
  const { htmlText, isHtml } = await import('./html.ts');
  const mapper = new RowMapper(wanted, faqColumns);
  let htmlAnswers = 0;
  const toFaq = (row: ResultRow) => {
    const { answer, ...others } = mapper.map(row);
    if (typeof answer !== 'string' || format === 'md' || !isHtml(answer)) return answer === undefined ? others : { ...others, answer };
    htmlAnswers++;
    const text = htmlText(answer);
    return text === '' ? others : { ...others, answer: text };
  };
  const questions = new Questions();
  const prepare: Prepare = (row, number) => {
    const prepared = prepareRow(row, number);
    if (prepared.flaw !== undefined) return prepared;
    const flaw = questions.add(prepared.mapped?.question as string, row.value?.id, number);
    return flaw === undefined ? prepared : { ...prepared, flaw, size: 0 };
  };
  const prepareRow = preparation(toFaq, flawFinder());
  const fromRow = (options.fromRow as number | undefined) ?? 1;
  const { dryRun } = options;
  const rejects = dryRun ? null : await openRejects(session, input, options);
  const steps = dryRun
    ? checkRows(rows, fromRow, (row, number) => (number < fromRow ? undefined : flawed(prepare(row, number))))
    : new Calls(prepare, await sender(session, campaignId), session.world.interrupted).make(rows, fromRow);
  const tally = {
    taken: 0,
    rejected: 0,
    add: ({ taken, skipped }: ReadStep) => void ((tally.taken += taken), (tally.rejected += skipped.length)),
  };
  const rejected = () => (tally.rejected > 0 ? `, rejected ${digits(tally.rejected)}` : '');
  return await startRun(session, input, {
    steps,
    rejects,
    showsDuplicates: true,
    opening: [mappingNote(headers, wanted, faqColumns)].filter((note) => note !== ''),
    tally,
    field: 'rejected',
    shownRow,
    totals: () => ({ [dryRun ? 'ready' : 'imported_count']: tally.taken, rejected_count: tally.rejected }),
    progress: () => `${counted(tally.taken, 'FAQ')} ${dryRun ? 'ready' : 'imported'}${rejected()}`,
    closing: () => [
      dryRun ? `${counted(tally.taken, 'FAQ')} ready${rejected()}.` : `Imported ${counted(tally.taken, 'FAQ')}${rejected()}.`,
      ...questions.remarks,
      ...(htmlAnswers > 0 ? [`Answers in HTML were read as text: ${digits(htmlAnswers)}.`] : []),
    ],
  });
}

/** Sends FAQs to a campaign. A call imports either all or none of them. */
async function sender({ targets }: Session, campaignId: string): Promise<Send> {
  const client = await targets.client();
  return async (rows) => {
    const faqs = rows.map(({ mapped }) => mapped) as z.output<ReturnType<(typeof contract.importFaqs)['body']>>['faqs'];
    const answer = await client.call(contract.importFaqs, { body: { campaign_id: campaignId, faqs } });
    return { taken: answer.imported_count, refused: new Map() };
  };
}

/** A row that will be rejected, with the reason. */
function flawed(prepared: PreparedRow): SkippedRow | undefined {
  return prepared.flaw === undefined ? undefined : { ...prepared, reason: prepared.flaw };
}

/**
 * Finds out why the service would reject a row, using the schema of the contract. A single invalid row makes the service reject
 * the whole call.
 */
function flawFinder(): (mapped: ResultRow | null) => string | undefined {
  const schema = contract.importFaqs.body().shape.faqs.element;
  return (mapped) => {
    if (mapped === null) return 'is not an object';
    for (const field of ['question', 'answer']) if (mapped[field] === undefined) return `has no ${field}`;
    const [issue] = schema.safeParse(mapped).error?.issues ?? [];
    return issue && `${issue.path.join('.')} ${problemOf(issue)}`;
  };
}

/**
 * The questions in a file, compared in the same way as the service does. A repeated question updates the FAQ of the first one.
 */
class Questions {
  readonly #known = new Map<string, { readonly id: unknown; readonly row: number }>();
  #repeated = 0;

  /**
   * @returns why the row is rejected: the file is an export with two FAQs that have this question, and an import would merge
   * them
   */
  add(question: string, id: unknown, row: number): string | undefined {
    const key = comparedQuestion(question);
    const first = this.#known.get(key);
    if (first === undefined) this.#known.set(key, { id, row });
    else if (hasText(id) && hasText(first.id) && id !== first.id) return `repeats the question of row ${first.row}, which has another id`;
    else this.#repeated++;
    return undefined;
  }

  get remarks(): string[] {
    if (this.#repeated === 0) return [];
    return [`${counted(this.#repeated, 'row')} repeated the question of an earlier row and replaced it: the last row wins.`];
  }
}

function hasText(id: unknown): boolean {
  return typeof id === 'string' && id !== '';
}

function shownRow({ row, line, mapped, original, reason }: SkippedRow): ResultRow {
  return { row, line, question: mapped ? (mapped.question ?? null) : original, reason };
}
