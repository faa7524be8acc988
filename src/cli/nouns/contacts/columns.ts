import { parseJson } from '../../../contract/json.ts';
import { readListText } from '../../output/list-text.ts';
import type { Columns } from '../../rows/headers.ts';
import { isScalar, readTruth, isBlank } from '../../rows/values.ts';

/** The columns of contacts in files. */
export const contactColumns: Columns = {
  commonNames: {
    phone_number: [
      [
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
        // Google's and Outlook's exports.
        'phone#value',
        'primaryphone',
        'homephone',
        'homephone#',
        'businessphone',
        'businessphone#',
        'otherphone',
        'carphone',
        'phone#',
      ],
      // It can be anything, so it counts only without another column.
      'number',
    ],
    identity: ['identity'],
    channel: ['channel'],
    first_name: ['firstname', 'first', 'givenname', 'given', 'forename', 'name', 'fullname', 'displayname'],
    last_name: ['lastname', 'last', 'surname', 'familyname', 'family'],
    email: [['email', 'emailaddress', 'mail', 'email#value', 'email#address', 'email#']],
    company: ['company', 'companyname', 'organization', 'organisation', 'organizationname', 'organization#name'],
    do_not_disturb: ['donotdisturb', 'dnd', 'optout', 'unsubscribed'],
    private_mode: ['privatemode'],
    archived: ['archived'],
    tags: ['tags', 'tagsname'],
  },
  required: [{ fields: ['phone_number', 'identity'], what: 'phone numbers or identities' }],
  readValue,
};

/** Maximum nesting of a list of records in a cell. */
const listLevels = 3;

/**
 * Converts a value in a file for the API. An invalid value is left unchanged, so that the service rejects it.
 * @returns undefined for an empty value
 */
function readValue(field: string, value: unknown, header: string): unknown {
  if (isBlank(value)) return undefined;
  switch (field) {
    case 'do_not_disturb':
    case 'private_mode':
    case 'archived':
      return readTruth(value);
    case 'tags':
      return googleLabels.test(header) && typeof value === 'string' ? readLabels(value) : readTags(value);
    case 'phone_number':
    case 'email':
      return isScalar(value) ? valuesOf(String(value))[0] : value;
    case 'identity':
    case 'channel':
      return isScalar(value) ? String(value).trim() : value;
    default:
      // Spaces are part of a name, so that exported data is imported unchanged.
      return typeof value === 'number' ? String(value) : value;
  }
}

/** The values of a cell. Google's exports join several with ` ::: `. */
function valuesOf(text: string): string[] {
  return text
    .split(' ::: ')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/** The columns of Google's exports that hold labels. */
const googleLabels = /^(labels|group membership)$/i;

/** Google's labels as tag names, without its own, such as `* myContacts`. */
function readLabels(text: string): string[] {
  return valuesOf(text).filter((label) => !/^\*( |$)/.test(label));
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
