import * as z from 'zod';

/** The errors whose `error_code` is a name instead of a status, with their HTTP statuses (rule conventions.17). */
export const namedErrors = {
  key_read_only: 403,
  key_scope_denied: 403,
  invalid_scopes: 400,
  kb_import_page_limit: 400,
  kb_import_insufficient_credits: 402,
  analytics_unavailable: 503,
} as const;

export type NamedError = keyof typeof namedErrors;

const names = Object.keys(namedErrors) as [NamedError, ...NamedError[]];

/** The records that a 404 can be about, as its text names them. */
const recordNouns = {
  account: 'Account',
  agent: 'Agent',
  appointment: 'Appointment',
  broadcast: 'Broadcast',
  campaign: 'Campaign',
  chat_export: 'Chat export',
  chat_session: 'Chat session',
  connection: 'Connection',
  contact: 'Contact',
  custom_function: 'Custom function',
  deal: 'Deal',
  delivery: 'Delivery',
  entry_point: 'Entry point',
  event: 'Event',
  faq: 'FAQ',
  file: 'File',
  gap: 'Knowledge gap',
  group: 'Knowledge group',
  import_session: 'Import session',
  job: 'Job',
  key: 'Key',
  list: 'List',
  mcp_server: 'Tool server',
  media: 'Media',
  member: 'Member',
  message: 'Message',
  note: 'Note',
  notification: 'Notification',
  pairing: 'Pairing',
  pipeline: 'Pipeline',
  phone_number: 'Phone number',
  plan: 'Plan',
  record: 'Record',
  refresh: 'Refresh',
  replay: 'Replay',
  scheduled_task: 'Scheduled task',
  short_link: 'Short link',
  snapshot: 'Snapshot',
  source: 'Source',
  stage: 'Stage',
  sub_account: 'Sub-account',
  summary: 'Summary',
  tag: 'Tag',
  tagging_rule: 'Tagging rule',
  task: 'Task',
  template: 'Template',
  webhook: 'Webhook',
  widget: 'Widget',
} as const;

export type RecordName = keyof typeof recordNouns;

/** What was refused, in words that never change. The texts of errors can change, so programs tell errors apart by these. */
export const reasons = {
  answer_not_kept: 'the request with this idempotency key was done, and its answer is not kept',
  channel_not_connected: 'the account has nothing connected on the channel in the field `channel` of the answer',
  choice_of_fields: 'fields were given together, or left out, that must not be; the text has their names in quotes',
  clock_running: 'the clock of the sandbox is not frozen',
  do_not_disturb: 'the contact has do-not-disturb turned on',
  member_required: 'only a team member can do this',
  key_reused: 'the idempotency key was sent with another request',
  missing_field: 'the field is required',
  missing_variables: 'the variables in the field `missing` of the answer have no value',
  model_failed: 'the model failed, or the AI key of the account does',
  name_taken: 'another record has this name',
  no_calendar: 'no calendar is connected',
  no_own_account: 'the account has no own account at the provider of templates',
  not_a_slot: 'the event type has no slot at this time',
  outside_window: 'free text can be sent only within 24 hours of the last message of the contact',
  request_at_work: 'the first request with this idempotency key is still at work',
  section_denied: 'the key is limited to other sections',
  sub_account_required: 'the key must name one of its sub-accounts',
  template_not_approved: 'only an approved template can be sent',
} as const;

/** The reason of an error: one of `reasons`, or which record is missing. */
export type Reason = keyof typeof reasons | `${RecordName}_not_found`;

/** The text of the 404 for a missing record. @param id which one, if the request names several */
export function notFoundText(record: RecordName, id?: string): string {
  return `${recordNouns[record]}${id === undefined ? '' : ` ${id}`} not found`;
}

/** The published texts of errors, with the reason that each stands for where an answer has none. */
const publishedTexts: ReadonlyMap<string, Reason> = new Map([
  [notFoundText('template'), 'template_not_found'],
  [notFoundText('webhook'), 'webhook_not_found'],
]);

/** The reason of an error answer; undefined if it has none. */
export function reasonIn({ error, reason }: { readonly error: string; readonly reason?: unknown }): Reason | undefined {
  return (reason as Reason | undefined) ?? publishedTexts.get(error);
}

/** Whether the text of a 404 says what was not found, as the interface does, and not only that something was not. */
export function saysWhatIsMissing(text: string): boolean {
  return !/^not found\W*$/iu.test(text);
}

/** The text of the 400 for a field, or for a whole body or query. @param problem completes a sentence that begins with the place */
export function problemText(place: string, problem: string): string {
  return `${place}: ${problem}`;
}

/** The problem in the text of a 400. See `problemText`. @param field undefined for a whole body or query */
export function problemIn(text: string, field: string | undefined): string {
  const place = (field === undefined ? ['body', 'query'] : [field]).find((each) => text.startsWith(problemText(each, '')));
  return place === undefined ? text : text.slice(problemText(place, '').length);
}

/** The body of every error answer. */
export const errorEnvelope = () =>
  z.object({
    success: z.literal(false),
    error: z.string(),
    error_code: z.union([z.int(), z.enum(names)]),
    reason: z
      .string()
      .optional()
      .meta({ description: 'a stable word for what was refused; others can be added', examples: Object.keys(reasons) }),
    field: z.string().optional().describe('the path of the field that was refused'),
  });
