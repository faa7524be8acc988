import { readListText } from '../../output/list-text.ts';

/** The fields of an imported contact. */
export const importFields = [
  'phone_number',
  'identity',
  'channel',
  'first_name',
  'last_name',
  'email',
  'company',
  'do_not_disturb',
  'private_mode',
  'archived',
  'tags',
] as const;

export type ImportField = (typeof importFields)[number];

/** How files write yes and no. */
const truths = new Map([
  ...['true', 'yes', 'y', '1', 'x'].map((word) => [word, true] as const),
  ...['false', 'no', 'n', '0'].map((word) => [word, false] as const),
]);

/** What invisible characters, spaces and dashes of word processors stand in phone numbers for. */
const invisible = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const dashes = /[\u2010-\u2015\u2212]/g;

/**
 * A value of a file as the interface takes it. A value that cannot be read is left as it is, for the service to refuse.
 * @returns undefined for a value that says nothing
 */
export function readValue(field: ImportField, value: unknown): unknown {
  if (value === null || (typeof value === 'string' && value.trim() === '')) return undefined;
  switch (field) {
    case 'do_not_disturb':
    case 'private_mode':
    case 'archived':
      return isScalar(value) ? (truths.get(String(value).trim().toLowerCase()) ?? value) : value;
    case 'tags':
      return readTags(value);
    case 'phone_number':
      return isScalar(value) ? readPhone(String(value)) : value;
    case 'identity':
    case 'channel':
    case 'email':
      return isScalar(value) ? String(value).trim() : value;
    default:
      // Spaces belong to a name: what was exported is imported as it was.
      return typeof value === 'number' ? String(value) : value;
  }
}

/** Spreadsheets and scripts write phone numbers and names as numbers. */
function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/** The text of a phone number without what spreadsheets and address books leave in it. */
function readPhone(text: string): string {
  if (/^\+\d+$/.test(text)) return text;
  const plain = text.normalize('NFKC').replace(invisible, '').replace(dashes, '-').trim();
  // An apostrophe makes a spreadsheet keep the number as it was typed.
  return plain.replace(/^'/, '');
}

/** Names of tags: a list, also of tags as answers show them, or the text of a list in one cell. */
function readTags(value: unknown): unknown {
  if (typeof value === 'string') return readTags(listOfRecords(value) ?? readListText(value));
  return Array.isArray(value) ? value.map((tag: unknown) => (tag as { name?: unknown } | null)?.name ?? tag) : value;
}

/** The list that a cell holds as JSON, as exports write records in a cell. The text of a list of names never looks like it. */
function listOfRecords(text: string): unknown[] | undefined {
  if (!text.startsWith('[{"')) return undefined;
  try {
    return JSON.parse(text) as unknown[];
  } catch {
    return undefined;
  }
}
