import { spellingsOf } from '../../contract/areas/contacts/number-forms.ts';
import { isInternational, withoutSeparators } from '../../contract/areas/contacts/phone-text.ts';

/**
 * What a word is looked for as: a phone number in its spellings, in their order, any other word as it is. The library of numbering
 * plans, which takes long to load, gives more of them once the first ones were not found.
 */
export async function* spellingsIn(word: string): AsyncGenerator<readonly string[]> {
  if (!isInternational(word)) {
    yield [word];
    return;
  }
  const written = spellingsOf(withoutSeparators(word));
  yield written;
  const { readPhoneNumber } = await import('../../contract/areas/contacts/phone-numbers.ts');
  const others = readPhoneNumber(word)?.spellings.filter((each) => !written.includes(each)) ?? [];
  if (others.length > 0) yield others;
}

/** A text that all spellings contain, for the search of a service: the digits at their end. */
export function searchTextOf([first = '', ...others]: readonly string[]): string {
  let start = 0;
  while (others.some((each) => !each.endsWith(first.slice(start)))) start++;
  return first.slice(start);
}
