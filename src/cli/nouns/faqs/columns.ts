import { readListText } from '../../output/list-text.ts';
import type { Columns } from '../../rows/headers.ts';
import { readTruth, saysNothing } from '../../rows/values.ts';

/** The columns of FAQs in files. */
export const faqColumns: Columns = {
  commonNames: {
    question: ['question', 'questions', 'q'],
    answer: ['answer', 'answers', 'a', 'reply', 'response'],
    category: ['category', 'topic', 'section'],
    tags: ['tags', 'labels'],
    is_active: ['isactive', 'active', 'enabled'],
    is_global: ['isglobal', 'global'],
    order_index: ['orderindex', 'order', 'position'],
  },
  readValue,
};

/**
 * A value of a file as the interface takes it. A value that cannot be read is left as it is, to be refused. A category and tags
 * that are empty are taken away from a FAQ that exists, so that what was exported is restored.
 */
function readValue(field: string, value: unknown): unknown {
  switch (field) {
    case 'category':
      return value === '' ? null : textOf(value);
    case 'tags':
      if (typeof value === 'string') return readListText(value);
      return Array.isArray(value) ? value.map(textOf) : (value ?? undefined);
    case 'is_active':
    case 'is_global':
      return saysNothing(value) ? undefined : readTruth(value);
    case 'order_index':
      if (saysNothing(value)) return undefined;
      return typeof value === 'string' && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : value;
    default:
      // Spaces belong to a text: what was exported is imported as it was.
      return saysNothing(value) ? undefined : textOf(value);
  }
}

/** Spreadsheets and scripts write a year or a price as a number. */
function textOf(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}
