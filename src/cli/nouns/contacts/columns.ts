import { parseJson } from '../../../contract/json.ts';
import { readListText } from '../../output/list-text.ts';
import type { Columns } from '../../rows/headers.ts';
import { isScalar, readTruth, saysNothing } from '../../rows/values.ts';

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

/** The levels of a list of records in a cell. */
const listLevels = 3;

/**
 * A value of a file as the interface takes it. A value that cannot be read is left as it is, for the service to refuse.
 * @returns undefined for a value that says nothing
 */
function readValue(field: string, value: unknown): unknown {
  if (saysNothing(value)) return undefined;
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
      // Spaces belong to a name: what was exported is imported as it was.
      return typeof value === 'number' ? String(value) : value;
  }
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
