import { getActivity } from '../../../contract/areas/analytics/endpoints.ts';
import { callVerb } from '../../verb/call-verb.ts';
import type { Lookup } from '../../verb/lookup.ts';
import type { Verb } from '../../verb/noun.ts';
import { contactLookup } from '../../lookups/contacts.ts';
import { taskLookup } from '../../lookups/tasks.ts';
import { activityColumns } from './rows.ts';

/** The lookups for types of records that have names. There is no list of deals. */
const lookups: Readonly<Record<string, Lookup>> = { contact: contactLookup, task: taskLookup };

const byId = callVerb({
  name: 'activity',
  endpoint: getActivity,
  examples: [
    ['msgctl analytics activity contact +14155550123', 'what happened with a contact, newest first'],
    ["msgctl analytics activity task 'Call back'", 'what happened with a task'],
  ],
  arguments: [
    { field: 'entityType', name: 'type' },
    { field: 'entityId', name: 'id', summary: 'the id of the record; for a contact or a task, also its name' },
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
