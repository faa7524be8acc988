import { getActivity } from '../../../contract/areas/analytics/endpoints.ts';
import { callVerb } from '../../verb/call-verb.ts';
import type { Lookup } from '../../verb/lookup.ts';
import type { Verb } from '../../verb/noun.ts';
import { contactLookup } from '../../lookups/contacts.ts';
import { dealLookup } from '../../lookups/deals.ts';
import { taskLookup } from '../../lookups/tasks.ts';
import { activityColumns } from './rows.ts';

/** The lookups of the types of records, by which list contains their names. */
const lookups: Readonly<Record<string, Lookup>> = { contact: contactLookup, deal: dealLookup, task: taskLookup };

const byId = callVerb({
  name: 'activity',
  endpoint: getActivity,
  examples: [
    ['msgctl analytics activity contact +14155550123', 'what happened with a contact, newest first'],
    ["msgctl analytics activity deal 'New kitchen'", 'what happened with a deal'],
  ],
  arguments: [
    { field: 'entityType', name: 'type' },
    { field: 'entityId', name: 'id', summary: 'the id or the name of the record' },
  ],
  shown: { rows: 'items', columns: activityColumns },
});

/** The type of a record determines which list contains its name. */
export const activityVerb: Verb = {
  ...byId,
  run: async (session, [type = '', word = ''], options) => {
    const kind = lookups[type];
    return await byId.run(session, [type, kind ? await session.names.id(kind, word) : word], options);
  },
};
