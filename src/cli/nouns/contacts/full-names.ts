/** What follows a name behind a comma without being one. */
const suffix = /^(?:[js]r|i{2,3}|iv|m\.?\s?d|ph\.?\s?d|esq|mba|inc|ltd|llc|gmbh|ag|co|corp|s\.?a)\.?$/i;

interface Names {
  readonly first_name: string;
  readonly last_name?: string;
}

/**
 * Divides a whole name as address books do: the last word is the last name, or what is before the comma in `King, Ada`. A single
 * word, the name of a company, and what does not end with a word stay whole.
 * @param company the company of the contact, if known
 */
export function dividedName(name: string, company: unknown): Names {
  const text = name.trim().replace(/\s+/g, ' ');
  const [, before = '', after = ''] = /^([^,]+),([^,]+)$/.exec(text) ?? [];
  if (text === company || suffix.test(after.trim())) return { first_name: name };
  if (after.trim() !== '') return { first_name: after.trim(), last_name: before.trim() };
  const [, given, family] = /^([^,]+) (\p{L}[^\s,]*)$/u.exec(text) ?? [];
  return given !== undefined && family !== undefined ? { first_name: given, last_name: family } : { first_name: name };
}
