import * as z from 'zod';
import type { Endpoint } from '../../endpoint.ts';
import { id, name, text } from '../../fields.ts';
import { approveBroadcast } from '../broadcasts/endpoints.ts';
import { tagContact } from '../contacts/endpoints.ts';
import { messageText, sendMessage } from '../messages/endpoints.ts';
import { createTask } from '../tasks/endpoints.ts';
import { sendTemplate } from '../templates/endpoints.ts';

export const actionTypes = ['message', 'broadcast', 'task', 'tag'] as const;

export type ActionType = (typeof actionTypes)[number];

/** What a scheduled task does. The fields depend on the type. */
export interface Action {
  readonly type: ActionType;
  readonly contact_id?: string | null | undefined;
  readonly body?: string | null | undefined;
  readonly template_id?: string | null | undefined;
  readonly variables?: Readonly<Record<string, string | number>> | null | undefined;
  readonly broadcast_id?: string | null | undefined;
  readonly title?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly due_in_hours?: number | null | undefined;
  readonly list_id?: string | null | undefined;
  readonly tag_id?: string | null | undefined;
  readonly remove?: boolean | null | undefined;
}

type ActionField = Exclude<keyof Action, 'type'>;

/** The fields of each type. Those that it cannot do without come first. */
const fieldsOf: Readonly<Record<ActionType, { readonly required: readonly ActionField[]; readonly others: readonly ActionField[] }>> = {
  message: { required: ['contact_id'], others: ['body', 'template_id', 'variables'] },
  broadcast: { required: ['broadcast_id'], others: [] },
  task: { required: ['title'], others: ['description', 'contact_id', 'due_in_hours'] },
  tag: { required: ['tag_id'], others: ['contact_id', 'list_id', 'remove'] },
};

/** Whether a field has no value. */
function isMissing(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

const fields = () => ({
  type: z.enum(actionTypes).describe('what is done'),
  contact_id: id().nullable().optional().describe('the contact, of a message, a task or a tag'),
  body: messageText().nullable().optional().describe('the text of a message'),
  template_id: id().nullable().optional().describe('the template of a message, instead of a text'),
  variables: z
    .record(z.string(), z.union([text(), z.number()]))
    .nullable()
    .optional()
    .describe('values of the variables of the template'),
  broadcast_id: id().nullable().optional().describe('the broadcast of which a copy is sent'),
  title: name().nullable().optional().describe('the title of a task'),
  description: text().nullable().optional().describe('details of a task'),
  due_in_hours: z.number().min(0).max(8_760).nullable().optional().describe('when a task is due, in hours after it is created'),
  list_id: id().nullable().optional().describe('the list whose contacts get a tag, instead of a contact'),
  tag_id: id().nullable().optional().describe('the tag'),
  remove: z.boolean().nullable().optional().describe('take the tag away instead of adding it'),
});

/** An action in a request (rules schedules.6, schedules.7, schedules.8, schedules.9). */
export const newAction = () =>
  z.object(fields()).superRefine((action, context) => {
    for (const field of fieldsOf[action.type].required)
      if (isMissing(action[field]))
        context.addIssue({ code: 'custom', path: [field], message: 'is required', params: { reason: 'missing_field' } });
    const flaw = choiceFlaw(action);
    if (flaw !== undefined) context.addIssue({ code: 'custom', message: flaw, params: { reason: 'choice_of_fields' } });
  });

/** An action as answers show it. */
export const action = () => z.object(fields());

/** Which fields of an action were given together, or left out, that must not be; undefined when it is right. */
function choiceFlaw({ type, contact_id: contact, body, template_id: template, variables, list_id: list }: Action): string | undefined {
  if (type === 'message' && isMissing(body) === isMissing(template)) return "give either 'body' or 'template_id'";
  if (type === 'message' && !isMissing(variables) && isMissing(template)) return "give 'variables' only with 'template_id'";
  if (type === 'tag' && isMissing(contact) === isMissing(list)) return "give either 'contact_id' or 'list_id'";
  return undefined;
}

/** An action with only the fields that its type has, in the order of the contract. */
export function ownFields(given: Action): Action {
  const { required, others } = fieldsOf[given.type];
  const own: readonly string[] = ['type', ...required, ...others];
  return Object.fromEntries(
    Object.entries(given).filter(([field, value]) => own.includes(field) && value !== undefined),
  ) as unknown as Action;
}

/** The endpoint that does by hand what an action does. It says which section and which permission the action needs (rule schedules.11). */
export function endpointOf({ type, template_id: template }: Action): Endpoint {
  if (type === 'message') return isMissing(template) ? sendMessage : sendTemplate;
  return { broadcast: approveBroadcast, task: createTask, tag: tagContact }[type];
}
