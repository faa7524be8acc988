import type { Action } from '../../../contract/areas/schedules/action.ts';
import { definedFields } from '../../../contract/defined-fields.ts';
import { usageError } from '../../errors.ts';
import { broadcastLookup } from '../../lookups/broadcasts.ts';
import { contactLookup } from '../../lookups/contacts.ts';
import { listLookup } from '../../lookups/lists.ts';
import { tagLookup } from '../../lookups/tags.ts';
import { templateLookup } from '../../lookups/templates.ts';
import { parseNumber } from '../../verb/values.ts';
import type { Lookup } from '../../verb/lookup.ts';
import type { Options, OptionSpec, Session } from '../../verb/noun.ts';

const fills = ['action'];

/** The options that say what a task does. */
export const actionOptions: readonly OptionSpec[] = [
  { flags: '--message <text>', summary: 'send this text to the contact', fills },
  { flags: '--template <template>', summary: 'send this template to the contact', completes: templateLookup, fills },
  {
    flags: '--variable <name=value>',
    summary: 'a value for a variable of the template; can be repeated',
    parse: parseVariable,
    isRepeated: true,
    fills,
  },
  { flags: '--broadcast <broadcast>', summary: 'send a copy of this broadcast', completes: broadcastLookup, fills },
  { flags: '--task <title>', summary: 'create a task with this title', fills },
  { flags: '--description <text>', summary: 'details of the task', fills },
  { flags: '--due-in-hours <hours>', summary: 'when the task is due, after it is created', parse: (text) => parseNumber(text), fills },
  { flags: '--tag <tag>', summary: 'give this tag to the contact, or to all contacts on the list', completes: tagLookup, fills },
  { flags: '--untag <tag>', summary: 'take this tag away from the contact, or from all contacts on the list', completes: tagLookup, fills },
  { flags: '--contact <contact>', summary: 'the contact of a message, a task or a tag', completes: contactLookup, fills },
  { flags: '--list <list>', summary: 'the list whose contacts get a tag, or lose it', completes: listLookup, fills },
];

function parseVariable(text: string, previous: unknown): Readonly<Record<string, string>> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw usageError(`--variable '${text}' must be a name and a value, such as first_name=Ada`);
  return { ...(previous as Record<string, string> | undefined), [name]: value };
}

/** The options that say the type of an action. */
export const typeOptions = ['message', 'template', 'broadcast', 'task', 'tag', 'untag'] as const;

/**
 * What the options say that a task does; undefined if they say nothing.
 * @throws CliError 2 if they say several things; 5 if there is no such record
 */
export async function actionOf({ names }: Session, options: Options): Promise<Action | undefined> {
  const given = typeOptions.filter((name) => options[name] !== undefined);
  const [first, ...others] = given;
  if (first === undefined) return undefined;
  if (others.length > 0) throw usageError(`--${first} and --${others[0]} cannot be used together: a scheduled task does one thing`);
  const text = (name: string) => options[name] as string | undefined;
  const id = async (name: string, lookup: Lookup) => {
    const word = text(name);
    return word === undefined ? undefined : await names.id(lookup, word);
  };
  const contact = await id('contact', contactLookup);
  const fields = async (): Promise<Omit<Action, 'type'>> => {
    switch (first) {
      case 'message':
        return { contact_id: contact, body: text('message') };
      case 'template':
        return {
          contact_id: contact,
          template_id: await id('template', templateLookup),
          variables: options.variable as Record<string, string>,
        };
      case 'broadcast':
        return { broadcast_id: await id('broadcast', broadcastLookup) };
      case 'task':
        return { title: text('task'), description: text('description'), contact_id: contact, due_in_hours: options.dueInHours as number };
      case 'tag':
      case 'untag':
        return {
          tag_id: await id(first, tagLookup),
          contact_id: contact,
          list_id: await id('list', listLookup),
          remove: first === 'untag' ? true : undefined,
        };
    }
  };
  const type = first === 'template' ? 'message' : first === 'untag' ? 'tag' : first;
  return { type, ...definedFields(await fields()) };
}
