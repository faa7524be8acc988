import type { Action } from '../../../contract/areas/schedules/action.ts';
import { broadcastLookup } from '../../lookups/broadcasts.ts';
import { contactLookup, contactName } from '../../lookups/contacts.ts';
import { listLookup } from '../../lookups/lists.ts';
import type { NamedColumn } from '../../lookups/named.ts';
import { readRecords } from '../../lookups/records.ts';
import { tagLookup } from '../../lookups/tags.ts';
import { templateLookup } from '../../lookups/templates.ts';
import type { Lookup } from '../../verb/lookup.ts';
import type { Session } from '../../verb/noun.ts';

/** What tasks do, in words and with names. Records that are gone keep their ids. */
export const doesField: NamedColumn = {
  field: 'does',
  id: 'action',
  add: async (session, rows) => {
    const actions = rows.map((row) => row.action as Action);
    const nameOf = await namesOf(session, actions);
    return rows.map((row, index) => ({ ...row, does: describe(actions[index] as Action, nameOf) }));
  },
};

type NameOf = (id: string | null | undefined) => string;

const named = { template_id: templateLookup, broadcast_id: broadcastLookup, list_id: listLookup, tag_id: tagLookup } as const;

async function namesOf({ names }: Session, actions: readonly Action[]): Promise<NameOf> {
  const found = new Map<string, string>();
  const idsOf = (field: keyof Action) => actions.flatMap((action) => (action[field] as string | null | undefined) ?? []);
  for (const [field, lookup] of Object.entries(named))
    for (const [id, record] of await readRecords(names, lookup as Lookup, idsOf(field as keyof typeof named)))
      if (id !== null) found.set(id, typeof record.name === 'string' ? record.name : id);
  for (const [id, contact] of await readRecords(names, contactLookup, idsOf('contact_id')))
    if (id !== null) found.set(id, contactName(contact));
  return (id) => (id ? (found.get(id) ?? id) : '');
}

/** An action in a few words. */
function describe(action: Action, nameOf: NameOf): string {
  const {
    type,
    contact_id: contact,
    body,
    template_id: template,
    broadcast_id: broadcast,
    title,
    list_id: list,
    tag_id: tag,
    remove,
  } = action;
  const whom = contact ? ` ${nameOf(contact)}` : '';
  switch (type) {
    case 'message':
      return template ? `template ${nameOf(template)} to${whom}` : `message${whom}: ${body ?? ''}`;
    case 'broadcast':
      return `broadcast ${nameOf(broadcast)}`;
    case 'task':
      return `task: ${title ?? ''}${contact ? ` (${nameOf(contact)})` : ''}`;
    case 'tag':
      return `${remove === true ? 'untag' : 'tag'} ${list ? `the list ${nameOf(list)}` : nameOf(contact)}: ${nameOf(tag)}`;
  }
}
