import { parseJson } from '../../../contract/json.ts';
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

/** The levels of a list of records in a cell. */
const listLevels = 3;

/** How files write yes and no. */
const truths = new Map([
  ...['true', 'yes', 'y', '1', 'x'].map((word) => [word, true] as const),
  ...['false', 'no', 'n', '0'].map((word) => [word, false] as const),
]);

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

/** Names of tags: a list, also of tags as answers show them, or the text of a list in one cell. */
function readTags(value: unknown): unknown {
  if (typeof value === 'string') return readTags(listOfRecords(value) ?? readListText(value));
  return Array.isArray(value) ? value.map((tag: unknown) => (tag as { name?: unknown } | null)?.name ?? tag) : value;
}

/** The list that a cell holds as JSON, as exports write records in a cell. The text of a list of names never looks like it. */
function listOfRecords(text: string): unknown[] | undefined {
  if (!text.startsWith('[{"')) return undefined;
  try {
    return parseJson(text, listLevels) as unknown[];
  } catch {
    return undefined;
  }
}
