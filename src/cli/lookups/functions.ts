import { getFunction, listFunctions } from '../../contract/areas/functions/endpoints.ts';
import { lookup } from '../verb/lookup.ts';

/** Custom functions by name. */
export const functionLookup = lookup(listFunctions, 'custom_functions', 'name', {
  record: 'custom_function',
  // A name such as `book_appointment_slot` has the form of an id.
  idPrefix: 'fun_',
  get: getFunction,
});
