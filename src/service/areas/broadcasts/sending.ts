import type { BroadcastCode } from '../../../contract/areas/errors/codes.ts';
import { type FindZone, loadZones } from '../../../contract/time/zones.ts';
import { ApiError } from '../../errors.ts';
import { quietUntil } from './quiet-hours.ts';
import type { JobDefinition, JobPayloads } from '../../jobs/job.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { finishOnAccount } from '../activity/account-job.ts';
import type { Journal } from '../activity/journal.ts';
import { beginFixing, dropAudience, findAudience, fixPart } from '../audiences/fixing.ts';
import type { Member } from '../audiences/parts.ts';
import type { StoredAudience } from '../audiences/table.ts';
import { type Contact, contacts } from '../contacts/table.ts';
import { type Outgoing, sendMessages } from '../messages/send.ts';
import { businessNameOf, writeMessage, ofTemplate } from '../templates/sending.ts';
import { templates } from '../templates/table.ts';
import { countStates, nextRecipients, type Settled, settleRecipients } from './recipients.ts';
import { broadcastRecord } from './records.ts';
import { codeOfRefusal, endNotification, endStatus } from './rules.ts';
import { type Broadcast, broadcasts } from './table.ts';

/** The number of recipients in one transaction. Other writes run, and a pause takes effect, between transactions. */
export const chunk = 125;

/** After the job was leased, before anything is sent; after the messages were written, before their transaction is committed. */
export const broadcastFailpoints = ['broadcast.leased', 'broadcast.sending'] as const;

declare module '../../drills/failpoint.ts' {
  interface FailpointNames {
    broadcasts: (typeof broadcastFailpoints)[number];
  }
}

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    broadcast: { readonly broadcast: string; readonly run: number };
  }
}

/** The job that begins a broadcast or sends its next part. */
export function sendJob({ id, account_id: accountId, run }: Broadcast, dueAt: number) {
  return { kind: 'broadcast', accountId, payload: { broadcast: id, run }, dueAt } as const;
}

/** Begins a broadcast, which fixes its recipients. A small number of recipients is fixed immediately. */
export async function beginBroadcast(db: Db, journal: Journal, broadcast: Broadcast): Promise<Broadcast> {
  const { now } = journal;
  const begun = await broadcasts.setColumns(db, broadcast, { status: 'Sending', run: broadcast.run + 1, updated_at: now });
  await enqueue(db, sendJob(begun, now));
  return await continueStart(db, journal, begun, await beginFixing(db, begun));
}

/** Fixes the next recipients of a broadcast that is beginning. After the last part, the broadcast has started. */
export async function continueStart(db: Db, journal: Journal, broadcast: Broadcast, audience: StoredAudience): Promise<Broadcast> {
  const { is_fixed: isFixed, total } = await fixPart(db, audience);
  if (!isFixed) return broadcast;
  await dropAudience(db, broadcast.id);
  await countStates(db, broadcast.id, { waiting: total });
  const started = await broadcasts.setColumns(db, broadcast, { total });
  journal.emit('Broadcast Started', () => ({ broadcast: broadcastRecord(started) }));
  return started;
}

/**
 * Defines the jobs that send broadcasts, part by part. A part is sent in the transaction that ends its job: after a crash, either
 * the whole part was sent or nothing, so each recipient gets exactly one message.
 */
export const broadcastSending: JobDefinition<'broadcast'> = {
  isLarge: () => true,
  run: async ({ accountId, payload }, { failpoint }) => {
    failpoint('broadcast.leased');
    const findZone = await loadZones();
    const finish = finishOnAccount(accountId, (db, journal) => sendNext(db, journal, payload, findZone));
    return async (db, now) => {
      await finish(db, now);
      failpoint('broadcast.sending');
    };
  },
};

async function sendNext(db: Db, journal: Journal, { broadcast: id, run }: JobPayloads['broadcast'], findZone: FindZone): Promise<void> {
  const broadcast = await broadcasts.find(db, journal.account.id, id);
  // If `run` differs, the broadcast was paused, resumed or canceled after this job was queued.
  if (broadcast?.run !== run) return;
  if (broadcast.status === 'Scheduled') await beginBroadcast(db, journal, broadcast);
  else if (broadcast.status === 'Sending') await continueBroadcast(db, journal, broadcast, findZone);
}

/** Sends the next part. All recipients must be fixed before the first part is sent. */
async function continueBroadcast(db: Db, journal: Journal, broadcast: Broadcast, findZone: FindZone): Promise<void> {
  const audience = await findAudience(db, broadcast.id);
  if (!audience) {
    const end = quietUntil(journal.account, journal.now, findZone);
    if (end !== null) await enqueue(db, sendJob(broadcast, end));
    else await sendPart(db, journal, broadcast);
    return;
  }
  await continueStart(db, journal, broadcast, audience);
  await enqueue(db, sendJob(broadcast, journal.now));
}

/** Lets the broadcasts that rest go on now, or rest again: the quiet hours have changed. */
export async function wakeBroadcasts(db: Db, accountId: string, now: number): Promise<void> {
  const resting = await db
    .selectFrom('broadcasts')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('status', '=', 'Sending')
    .execute();
  for (const row of resting) {
    const broadcast = broadcasts.decode(row);
    // The job that waits is of an earlier run, and does nothing.
    const next = await broadcasts.setColumns(db, broadcast, { run: broadcast.run + 1 });
    await enqueue(db, sendJob(next, now));
  }
}

type Content = Pick<Outgoing, 'body' | 'template' | 'campaignId'>;

/**
 * Reads the content of a broadcast. @returns a function that writes the message to a contact; it returns an error when the
 * message cannot be sent, because a variable has no value or the template is not approved (rules broadcasts.30, broadcasts.31)
 */
async function writerOf(db: Db, broadcast: Broadcast, businessName: string): Promise<(contact: Contact) => Content | ApiError> {
  if (broadcast.template_id === null) return () => ({ body: broadcast.body ?? '' });
  const found = await templates.find(db, broadcast.account_id, broadcast.template_id);
  if (found?.status !== 'approved') {
    const notApproved = new ApiError(400, 'The template is not approved', { reason: 'template_not_approved' });
    return () => notApproved;
  }
  const { template, campaignId } = await ofTemplate(db, found);
  return (contact) => {
    const body = writeMessage(found, contact, businessName);
    return body instanceof ApiError ? body : { body, template, campaignId };
  };
}

/** The messages of a broadcast to some recipients, and why the others get none. */
interface Part {
  readonly outgoing: readonly Outgoing[];
  /** By the ids of the contacts. */
  readonly codes: Map<string, BroadcastCode>;
}

/**
 * Writes the messages of a broadcast to some recipients. They stay in this order, which decides who still gets the message when credits
 * run out (rule broadcasts.21).
 */
export async function writePart(db: Db, journal: Journal, broadcast: Broadcast, recipients: readonly Member[]): Promise<Part> {
  const found = await contacts.findMany(
    db,
    broadcast.account_id,
    recipients.map(({ contact_id: id }) => id),
  );
  const write = await writerOf(db, broadcast, businessNameOf(journal.account));
  const codes = new Map<string, BroadcastCode>();
  const outgoing = recipients.flatMap(({ contact_id: id }): Outgoing[] => {
    const contact = found.get(id);
    const content = contact && write(contact);
    if (!content || content instanceof ApiError) {
      codes.set(id, content ? codeOfRefusal(content) : 'contact_deleted');
      return [];
    }
    const { channel, agent_id: agentId, id: broadcastId } = broadcast;
    return [{ journal, contact, isNewContact: false, channel, sender: 'automated', agentId, broadcastId, ...content }];
  });
  return { outgoing, codes };
}

/** Sends a broadcast that has begun to the next of its recipients. After the last ones, it has ended. */
export async function sendPart(db: Db, journal: Journal, broadcast: Broadcast): Promise<void> {
  const recipients = await nextRecipients(db, broadcast.id, chunk);
  const { outgoing, codes } = await writePart(db, journal, broadcast, recipients);
  const messageIds = new Map<string, string>();
  for (const [index, outcome] of (await sendMessages(db, outgoing)).entries()) {
    const id = outgoing[index]?.contact.id ?? '';
    if (outcome instanceof ApiError) codes.set(id, codeOfRefusal(outcome));
    else messageIds.set(id, outcome.id);
  }
  for (const [id, code] of codes) {
    const contactId = code === 'contact_deleted' ? null : id;
    journal.fail({ source: 'broadcast', code, entity: { type: 'broadcast', id: broadcast.id }, contactId });
  }
  const settled = recipients.map((recipient): Settled => {
    const code = codes.get(recipient.contact_id) ?? null;
    const messageId = messageIds.get(recipient.contact_id) ?? null;
    return { ...recipient, state: code === null ? 'sent' : 'failed', message_id: messageId, at: journal.now, code };
  });
  await settleRecipients(db, broadcast.id, settled);
  const isLast = recipients.length < chunk;
  const counts = { sent: broadcast.sent + settled.length - codes.size, failed: broadcast.failed + codes.size };
  const changed = await broadcasts.setColumns(db, broadcast, {
    ...counts,
    ...(isLast && { status: endStatus(broadcast.total, counts.failed), updated_at: journal.now }),
  });
  if (!isLast) {
    await enqueue(db, sendJob(changed, journal.now));
    return;
  }
  journal.emit('Broadcast Completed', () => ({ broadcast: broadcastRecord(changed) }));
  journal.notify(endNotification(changed, changed.status));
}
