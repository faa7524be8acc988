import { getTemplate, listTemplates } from '../../contract/areas/templates/endpoints.ts';
import { lookup } from '../verb/lookup.ts';

/** Templates by name, or by name and language: `order_ready.de`. */
export const templateLookup = lookup(listTemplates, 'data', 'name', {
  names: ({ name, language }) => [name, `${name}.${language}`],
  get: getTemplate,
});
