import * as contract from '../../contract/areas/notes/endpoints.ts';
import { usageError } from '../errors.ts';
import { contactLookup } from '../lookups/contacts.ts';
import { dealLookup } from '../lookups/deals.ts';
import { taskLookup } from '../lookups/tasks.ts';
import { callVerb } from '../verb/call-verb.ts';
import type { Noun, Options, OptionSpec, Session } from '../verb/noun.ts';

const columns = ['id', 'text', 'author', 'created_at', 'entity_type', 'entity_id'] as const;

const lookups = { contact: contactLookup, deal: dealLookup, task: taskLookup } as const;

const options: readonly OptionSpec[] = contract.notedTypes.map((type) => ({
  flags: `--${type} <${type}>`,
  summary: `the ${type} with the notes`,
  completes: lookups[type],
  fills: ['entity_type', 'entity_id'],
}));

/** The record that the options name. @throws CliError 2 unless they name exactly one */
async function recordOf({ names }: Session, given: Options) {
  const [type, ...others] = contract.notedTypes.filter((each) => given[each] !== undefined);
  if (type === undefined || others.length > 0) throw usageError('Say whose notes: give one of --contact, --deal and --task');
  return { entity_type: type, entity_id: await names.id(lookups[type], String(given[type])) };
}

export const notes: Noun = {
  name: 'notes',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listNotes,
      examples: [["msgctl notes list --contact '+14155550123'", 'what was noted about a contact, newest first']],
      options,
      query: async (given, { session, options: chosen }) => ({ ...given, ...(await recordOf(session, chosen)) }),
      shown: { columns },
    }),
    callVerb({
      name: 'create',
      endpoint: contract.createNote,
      examples: [
        ["msgctl notes create 'Prefers mornings' --contact '+14155550123'", 'a note on a contact'],
        ["msgctl notes create - --deal 'New kitchen' < minutes.txt", 'the text from stdin'],
      ],
      arguments: [{ field: 'text' }],
      options,
      body: async (given, { session, options: chosen }) => ({ ...given, ...(await recordOf(session, chosen)) }),
      shown: { field: 'note', columns },
    }),
    callVerb({
      name: 'delete',
      endpoint: contract.deleteNote,
      examples: [['msgctl notes delete nte_1', 'asks for confirmation']],
      arguments: [{ param: 'id', name: 'note', summary: 'the id of a note' }],
      confirm: ({ values: [id = ''] }) => `Delete the note ${id}?`,
      shown: { columns: [] },
      done: (_, [id = '']) => `Deleted the note ${id}.`,
    }),
  ],
};
