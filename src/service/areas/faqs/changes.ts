import type { Db } from '../../store/database.ts';
import { preparedChange } from '../../store/prepared.ts';
import { questionKey } from './rules.ts';
import { type Faq, faqs } from './table.ts';

/** The fields of a FAQ that a request can change. */
type FaqChange = Partial<Pick<Faq, 'question' | 'answer' | 'category' | 'tags' | 'is_active' | 'is_global' | 'order_index' | 'drafted'>>;

/** Changes FAQs. Where the question or the answer changes, marks the search data for preparation. */
export async function changeFaqs(
  db: Db,
  changes: readonly { readonly faq: Faq; readonly change: FaqChange }[],
  now: number,
): Promise<void> {
  for (const { faq, change } of changes) {
    const { seq, question, answer, category, tags, is_active, is_global, order_index, drafted } = { ...faq, ...change };
    const stored = faqs.encode({
      question,
      question_key: questionKey(question),
      answer,
      category,
      tags,
      is_active,
      is_global,
      order_index,
      drafted,
    });
    await writeFaq(db, { ...stored, seq, updated_at: now } as Written);
    if (is_active !== faq.is_active) await writeActive(db, { seq, is_active: is_active ? 1 : 0 });
    if (question !== faq.question || answer !== faq.answer) await writeChanged(db, { seq });
  }
}

type Written = Record<'seq' | 'updated_at' | 'is_active' | 'is_global' | 'order_index', number> &
  Record<'question' | 'question_key' | 'answer' | 'category' | 'tags' | 'drafted', string>;

const writeFaq = preparedChange<Written>((db, $) => {
  const { question, question_key, answer, category, tags, is_active, is_global, order_index, drafted, updated_at } = $;
  return db
    .updateTable('faqs')
    .set({ question, question_key, answer, category, tags, is_active, is_global, order_index, drafted, updated_at })
    .where('seq', '=', $.seq);
});

/** Applies immediately, so that an inactive FAQ is no longer found. */
const writeActive = preparedChange<{ seq: number; is_active: number }>((db, $) =>
  db.updateTable('faq_search').set({ is_active: $.is_active }).where('faq_seq', '=', $.seq),
);

const writeChanged = preparedChange<{ seq: number }>((db, $) =>
  db.updateTable('faq_search').set({ state: 'changed' }).where('faq_seq', '=', $.seq),
);
