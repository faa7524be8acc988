import type { ErrorCode } from '../../../contract/areas/errors/codes.ts';
import type { Action } from '../../../contract/areas/schedules/action.ts';
import { utcDate } from '../../../contract/time/days.ts';
import type { FindZone } from '../../../contract/time/zones.ts';
import { limits } from '../../../contract/limits.ts';
import { firstCharacters } from '../../../contract/text/first-characters.ts';
import { ApiError } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import type { Journal } from '../activity/journal.ts';
import { codeOfRefusal } from '../broadcasts/rules.ts';
import { beginBroadcast } from '../broadcasts/sending.ts';
import { broadcasts } from '../broadcasts/table.ts';
import { callCampaigns } from '../contacts/campaign-calls.ts';
import { addContacts, findFull, removeContacts } from '../contacts/memberships.ts';
import { contacts } from '../contacts/table.ts';
import { type Outgoing, sendMessages } from '../messages/send.ts';
import { tags } from '../tags/table.ts';
import { createTask } from '../tasks/records.ts';
import { businessNameOf, ofTemplate, writeMessage } from '../templates/sending.ts';
import { templates } from '../templates/table.ts';
import { type Made, nothingMade, type ScheduledTask } from './table.ts';

/** What came of an action: what it made, or why it failed. */
export type Outcome = Made | ErrorCode;

/**
 * Does what a scheduled task is for, in the transaction that marks its occurrence (rules schedules.6 to schedules.9). When it fails,
 * nothing was written. The contacts of a list are tagged in parts, by `tagList`.
 */
export async function perform(db: Db, journal: Journal, task: ScheduledTask, findZone: FindZone): Promise<Outcome> {
  const { action } = task;
  switch (action.type) {
    case 'message':
      return await send(db, journal, task);
    case 'broadcast':
      return await sendCopy(db, journal, task, findZone);
    case 'task':
      return await makeTask(db, journal, action);
    case 'tag':
      return await tagContact(db, journal, action);
  }
}

async function send(db: Db, journal: Journal, { id, action }: ScheduledTask): Promise<Outcome> {
  const { account } = journal;
  const contact = await contacts.find(db, account.id, action.contact_id ?? '');
  if (!contact) return 'not_found';
  const content = await contentOf(db, journal, action, contact);
  if (content instanceof ApiError) return codeOfRefusal(content);
  if (content === 'not_found') return content;
  const message = { journal, contact, isNewContact: false, sender: 'automated', agentId: null, broadcastId: null } as const;
  const [outcome] = await sendMessages(db, [{ ...message, scheduledTaskId: id, ...content }]);
  if (!outcome) throw new Error('No outcome');
  return outcome instanceof ApiError ? codeOfRefusal(outcome) : { ...nothingMade, message_id: outcome.id };
}

type Content = Pick<Outgoing, 'channel' | 'body' | 'template' | 'campaignId'>;

/** The text of a message and its channel: that of the contact, or of the template. */
async function contentOf(
  db: Db,
  { account }: Journal,
  { body, template_id: templateId, variables }: Action,
  contact: Outgoing['contact'],
): Promise<Content | ApiError | 'not_found'> {
  if (typeof templateId !== 'string') return { channel: contact.channel, body: body ?? '' };
  const template = await templates.find(db, account.id, templateId);
  if (!template) return 'not_found';
  if (template.status !== 'approved') return new ApiError(400, 'The template is not approved', { reason: 'template_not_approved' });
  const text = writeMessage(template, contact, businessNameOf(account), variables ?? {});
  return text instanceof ApiError ? text : { body: text, ...(await ofTemplate(db, template)) };
}

/** Sends a copy of a broadcast, with the day in its name, which is that of the task's time zone. */
async function sendCopy(db: Db, journal: Journal, { action, timezone }: ScheduledTask, findZone: FindZone): Promise<Outcome> {
  const { account, now } = journal;
  const source = await broadcasts.find(db, account.id, action.broadcast_id ?? '');
  if (!source) return 'not_found';
  if (source.template_id !== null) {
    const template = await templates.find(db, account.id, source.template_id);
    if (!template) return 'not_found';
    if (template.status !== 'approved') return 'template_not_approved';
  }
  const date = ` ${utcDate(findZone(timezone).localTime(now))}`;
  const name = `${firstCharacters(source.name, limits.nameLength - date.length)}${date}`;
  const { channel, agent_id, body, template_id, contact_count, list_ids, contact_ids, repeated_ids, total } = source;
  const fields = { name, channel, agent_id, body, template_id, contact_count, list_ids, contact_ids, repeated_ids, total };
  const copy = await beginBroadcast(db, journal, await broadcasts.create(db, account.id, fields, now));
  return { ...nothingMade, broadcast_id: copy.id };
}

async function makeTask(db: Db, journal: Journal, action: Action): Promise<Outcome> {
  const { account, now } = journal;
  const { title, description = null, contact_id: contactId = null, due_in_hours: hours } = action;
  if (contactId !== null && !(await contacts.find(db, account.id, contactId))) return 'not_found';
  const dueAt = typeof hours !== 'number' ? null : now + hours * 3_600_000;
  const task = await createTask(db, journal, { title: title ?? '', description, contact_id: contactId, due_at: dueAt });
  return { ...nothingMade, task_id: task.id };
}

async function tagContact(db: Db, { account, now }: Journal, action: Action): Promise<Outcome> {
  const contact = await contacts.find(db, account.id, action.contact_id ?? '');
  const tag = await tags.find(db, account.id, action.tag_id ?? '');
  if (!contact || !tag) return 'not_found';
  if (action.remove === true) {
    await removeContacts(db, 'tags', tag.id, [contact.seq]);
    return nothingMade;
  }
  if ((await findFull(db, 'tags', tag.id, account.id, [contact.seq])).size > 0) return 'too_large';
  const isNew = (await addContacts(db, 'tags', tag.id, [contact.seq])) > 0;
  if (isNew) await callCampaigns(db, account, [{ id: tag.id, seq: contact.seq }], now);
  return nothingMade;
}
