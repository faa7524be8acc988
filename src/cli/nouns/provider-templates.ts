import * as contract from '../../contract/areas/provider-templates/endpoints.ts';
import { callVerb } from '../verb/call-verb.ts';
import { lookup } from '../verb/lookup.ts';
import type { Noun } from '../verb/noun.ts';

const columns = ['id', 'name', 'language', 'category', 'status', 'rejection_reason', 'created_at'] as const;

const names = lookup(contract.listProviderTemplates, 'templates', 'language', {
  what: 'template',
  value: 'name',
  names: ({ name }) => [name],
});

export const providerTemplates: Noun = {
  name: 'provider-templates',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listProviderTemplates,
      examples: [
        ['msgctl provider-templates list', 'every template of your own account'],
        ['msgctl provider-templates list --name order_ready', 'one template in all its languages'],
      ],
      fields: ['name'],
      shown: { rows: 'templates', columns },
    }),
    callVerb({
      name: 'create',
      endpoint: contract.createProviderTemplate,
      examples: [
        ["msgctl provider-templates create order_ready 'Hi {{first_name}}' --language en", '`msgctl templates sync` imports it'],
        [
          'msgctl provider-templates create order_ready --language en --components \'[{"type":"BODY","text":"Hi"}]\'',
          'from its components',
        ],
      ],
      arguments: [{ field: 'name' }, { field: 'body', isOptional: true }],
      fields: ['language', 'category', { field: 'variables', placeholder: 'names' }, 'header', 'footer', 'buttons', 'components'],
      shown: { field: 'template', columns: [...columns, 'components'] },
    }),
    callVerb({
      name: 'delete',
      endpoint: contract.deleteProviderTemplate,
      examples: [
        ['msgctl provider-templates delete order_ready --yes', 'in every language'],
        ['msgctl provider-templates delete order_ready --hsm-id 1000000000000001', 'one language, by its id'],
      ],
      arguments: [{ param: 'name', summary: 'the name of a template at the provider', completes: names }],
      fields: [{ field: 'hsm_id', placeholder: 'id' }],
      confirm: ({ values: [name], options: { hsmId } }) =>
        hsmId === undefined
          ? `Delete the template '${name}' at the provider, in every language?`
          : `Delete the template '${name}' with the id ${hsmId as string} at the provider?`,
      shown: { columns: ['name'] },
    }),
  ],
};
