import { comparedQuestion } from '../../../contract/areas/faqs/question.ts';
import { stepByStep } from '../../flow/steps.ts';
import type { Db } from '../../store/database.ts';
import { insertMany, overwriting } from '../../store/insert.ts';
import type { DraftedFaq } from '../answers/writer.ts';
import { questionKey } from '../faqs/rules.ts';
import type { ReadDocument, Section } from './reading/document.ts';
import { type Source, type StoredSection, texts } from './table.ts';

/** What was read of a source. */
export interface SourceText {
  /** The share of its text that was read, from 0 to 1. */
  readonly kept: number;
  readonly sections: readonly StoredSection[];
}

/** The text of a source that was read, with the questions that were made of each section. */
export async function sourceText({ title, sections, kept = 1 }: ReadDocument, drafts: readonly DraftedFaq[]): Promise<SourceText> {
  const pause = stepByStep();
  const named = Map.groupBy(sections.keys(), (index) => comparedQuestion(sections[index]?.headings.at(-1) ?? title ?? ''));
  const below = Map.groupBy(sections.keys(), (index) => comparedQuestion((sections[index]?.headings ?? []).slice(-2).join(': ')));
  const questions = sections.map((): string[] => []);
  let last = 0;
  for (const draft of drafts) {
    await pause();
    // A number tells drafts with the same heading apart.
    const [name, bare] = [draft.question, draft.question.replace(/ \(\d+\)$/, '')].map(comparedQuestion) as [string, string];
    const called = named.get(name) ?? below.get(name) ?? named.get(bare) ?? below.get(bare);
    const place = called ? (placeOf(draft, sections, called) ?? called[0]) : placeOf(draft, sections, around(last, sections));
    if (place === undefined) continue;
    questions[place]?.push(questionKey(draft.question));
    last = place;
  }
  return {
    kept,
    sections: sections.map(({ headings, text }, index) => ({ heading: headings.at(-1) ?? null, text, questions: questions[index] ?? [] })),
  };
}

/** The number of sections before and behind the last one in which the answer of a draft is looked for. */
const nearby = 50;

/** How much of the beginning of an answer is looked for. */
const beginning = 60;

/** The first of some sections that contains the beginning of a draft's answer; undefined when none does. */
function placeOf({ answer }: DraftedFaq, sections: readonly Section[], places: readonly number[]): number | undefined {
  const text = answer.slice(0, beginning);
  return places.slice(0, 2 * nearby).find((place) => sections[place]?.text.includes(text));
}

/** The places around one, those behind it first: most drafts are in the order of the document. */
function around(place: number, { length }: readonly Section[]): number[] {
  const before = Math.min(place, nearby);
  const behind = Math.min(length - place, nearby);
  return [
    ...Array.from({ length: behind }, (_, index) => place + index),
    ...Array.from({ length: before }, (_, index) => place - 1 - index),
  ];
}

/** Whether there is a text of a source. Those that older versions read have none. */
export async function isTextKept(db: Db, { id }: Source): Promise<boolean> {
  return (await db.selectFrom('kb_texts').select('source_id').where('source_id', '=', id).executeTakeFirst()) !== undefined;
}

/** Stores what was read of sources, in place of what was read before. */
export async function saveTexts(db: Db, read: readonly { readonly source: Source; readonly text: SourceText }[]): Promise<void> {
  const rows = read.map(({ source, text: { kept, sections } }) => ({
    source_id: source.id,
    account_id: source.account_id,
    kept: Math.round(kept * 100),
    sections,
  }));
  await insertMany(db, texts, rows, overwriting(['source_id'], ['kept', 'sections']));
}

/** The text of a source with its FAQs, as its endpoint shows it. Nothing was read of a source that is not ready. */
export async function textRecord(db: Db, { id, title }: Source) {
  const row = await db.selectFrom('kb_texts').selectAll().where('source_id', '=', id).executeTakeFirst();
  const { kept, sections } = row ? texts.decode(row) : { kept: 0, sections: [] };
  const made = await db
    .selectFrom('faq_sources')
    .innerJoin('faqs', 'faqs.seq', 'faq_sources.faq_seq')
    .select(['faqs.id', 'faqs.question_key'])
    .where('source_id', '=', id)
    .orderBy('faqs.seq')
    .execute();
  const faqs = Map.groupBy(made, ({ question_key: key }) => key);
  return {
    source_id: id,
    title,
    kept: kept / 100,
    sections: sections.map(({ heading, text, questions }) => ({
      heading,
      text,
      faq_ids: questions.flatMap((key) => (faqs.get(key) ?? []).map((faq) => faq.id)),
    })),
  };
}
