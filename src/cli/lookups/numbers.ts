import { listNumbers } from '../../contract/areas/numbers/endpoints.ts';
import { fold } from '../../contract/text/fold.ts';
import { lookup } from '../verb/lookup.ts';

/** Own phone numbers by number or label. */
export const numberLookup = lookup(listNumbers, 'phone_numbers', 'label', {
  what: 'phone number',
  value: 'number',
  idField: 'number',
  names: ({ number, label }) => [number, label],
  givenBy: 'the number or the label',
  folded: fold,
});
