import * as contract from '../../contract/areas/errors/endpoints.ts';
import { contactLookup } from '../lookups/contacts.ts';
import { entityField } from '../lookups/entities.ts';
import { contactField, withNamedFields } from '../lookups/named.ts';
import { pastPeriod } from '../lookups/past-times.ts';
import { callVerb } from '../verb/call-verb.ts';
import type { Noun } from '../verb/noun.ts';

const columns = ['id', 'source', 'code', 'text', 'entity.type', 'entity.id', 'contact_id', 'count', 'first_at', 'last_at'] as const;

/** On a terminal, what failed comes before what programs need. */
const table = ['last_at', 'source', 'text', 'contact_id', 'entity.id', 'count', 'code', 'first_at', 'id'] as const;

export const errors: Noun = {
  name: 'errors',
  verbs: [
    withNamedFields(
      callVerb({
        name: 'list',
        endpoint: contract.listErrors,
        examples: [
          ['msgctl errors list --since 1h', 'what failed in the last hour'],
          ['msgctl errors list --source broadcast --entity brd_1', 'who did not get a broadcast, and why'],
        ],
        fields: [
          ...pastPeriod('only what happened last'),
          'source',
          'code',
          { field: 'entity_id', flag: 'entity', summary: 'only about this record, such as a broadcast or a webhook' },
          { field: 'contact_id', flag: 'contact', lookup: contactLookup },
        ],
        shown: { columns, table },
      }),
      [contactField, entityField],
    ),
  ],
};
