import { parseJson } from '../../../contract/json.ts';
import { readListText } from '../../output/list-text.ts';
import type { Columns } from '../../rows/headers.ts';
import { isScalar, readTruth, isBlank } from '../../rows/values.ts';

/** The columns of contacts in files. */
export const contactColumns: Columns = {
  commonNames: {
    phone_number: [
      'phonenumber',
      'phone',
      'phoneno',
      'mobile',
      'mobilephone',
      'mobilenumber',
      'cell',
      'cellphone',
      'tel',
      'telephone',
      'telephonenumber',
      'msisdn',
      'number',
    ],
    identity: ['identity'],
    channel: ['channel'],
    first_name: ['firstname', 'first', 'givenname', 'given', 'forename'],
    last_name: ['lastname', 'last', 'surname', 'familyname', 'family'],
    email: ['email', 'emailaddress', 'mail'],
    company: ['company', 'companyname', 'organization', 'organisation'],
    do_not_disturb: ['donotdisturb', 'dnd', 'optout', 'unsubscribed'],
    private_mode: ['privatemode'],
    archived: ['archived'],
    tags: ['tags', 'tagsname', 'labels'],
  },
  readValue,
};

/** Maximum nesting of a list of records in a cell. */
const listLevels = 3;

/**
 * Converts a value in a file for the API. An invalid value is left unchanged, so that the service rejects it.
 * @returns undefined for an empty value
 */
function readValue(field: string, value: unknown): unknown {
  if (isBlank(value)) return undefined;
  switch (field) {
    case 'do_not_disturb':
    case 'private_mode':
    case 'archived':
      return readTruth(value);
    case 'tags':
      return readTags(value);
    case 'phone_number':
    case 'identity':
    case 'channel':
    case 'email':
      return isScalar(value) ? String(value).trim() : value;
    default:
      // Spaces are part of a name, so that exported data is imported unchanged.
      return typeof value === 'number' ? String(value) : value;
  }
}

/** Tag names: a list, which can contain tags as returned by the API, or a list as text in one cell. */
function readTags(value: unknown): unknown {
  if (typeof value === 'string') return readTags(listOfRecords(value) ?? readListText(value));
  return Array.isArray(value) ? value.map((tag: unknown) => (tag as { name?: unknown } | null)?.name ?? tag) : value;
}

/** A list of records as JSON in one cell, as exports write it. A list of names as text never looks like this. */
function listOfRecords(text: string): unknown[] | undefined {
  if (!text.startsWith('[{"')) return undefined;
  try {
    return parseJson(text, listLevels) as unknown[];
  } catch {
    return undefined;
  }
}
