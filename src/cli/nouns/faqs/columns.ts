import { readListText } from '../../output/list-text.ts';
import type { Columns } from '../../rows/headers.ts';
import { readTruth, isBlank } from '../../rows/values.ts';

/** The columns of FAQs in files. */
export const faqColumns: Columns = {
  commonNames: {
    question: ['question', 'questions', 'q', 'title'],
    answer: ['answer', 'answers', 'a', 'reply', 'response', 'body'],
    category: ['category', 'topic', 'section'],
    tags: ['tags', 'labels'],
    is_active: ['isactive', 'active', 'enabled'],
    is_global: ['isglobal', 'global'],
    order_index: ['orderindex', 'order', 'position'],
  },
  required: [
    { fields: ['question'], what: 'questions' },
    { fields: ['answer'], what: 'answers' },
  ],
  readValue,
};

/**
 * Converts a value in a file for the API. An invalid value is left unchanged, so that it is rejected. Empty categories and tags
 * are removed from an existing FAQ, so that importing an export restores it.
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
      return isBlank(value) ? undefined : readTruth(value);
    case 'order_index':
      if (isBlank(value)) return undefined;
      return typeof value === 'string' && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : value;
    default:
      // Spaces are part of a text, so that exported data is imported unchanged.
      return isBlank(value) ? undefined : textOf(value);
  }
}

/** Spreadsheets and scripts write years and prices as numbers. */
function textOf(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}
