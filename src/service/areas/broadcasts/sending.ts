import type { Failpoint } from '../../drills/failpoint.ts';
import { ApiError } from '../../errors.ts';
import type { JobDefinition } from '../../jobs/job.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { accountJob } from '../activity/account-job.ts';
import type { Journal } from '../activity/journal.ts';
import { findContacts } from '../contacts/records.ts';
import { type Outgoing, sendMessages } from '../messages/send.ts';
import { fixRecipients, nextRecipients, settleRecipients } from './recipients.ts';
import { broadcastRecord, changeBroadcast } from './records.ts';
import { endStatus } from './rules.ts';
import { type Broadcast, broadcasts } from './table.ts';

/** The number of recipients of one transaction. Between transactions, other writes run and a pause takes effect. */
const chunk = 250;

/** A part of a broadcast has been leased and not sent; it has been sent and its transaction not committed. */
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

/** The job that begins a broadcast, or sends its next part. */
export function sendJob({ id, account_id: accountId, run }: Broadcast, dueAt: number) {
  return { kind: 'broadcast', accountId, payload: { broadcast: id, run }, dueAt } as const;
}

/** Begins to send a broadcast. Its recipients are fixed from then on. */
export async function beginBroadcast(db: Db, journal: Journal, broadcast: Broadcast): Promise<Broadcast> {
  const { now } = journal;
  const total = await fixRecipients(db, broadcast);
  const begun = await changeBroadcast(db, broadcast, { status: 'Sending', run: broadcast.run + 1, total, updated_at: now });
  journal.emit('Broadcast Started', () => ({ broadcast: broadcastRecord(begun) }));
  await enqueue(db, sendJob(begun, now));
  return begun;
}

/**
 * Defines the jobs that send broadcasts, part by part. A part is sent in the transaction that ends its job: after a crash
 * either all of it was sent or none, so each recipient gets exactly one message.
 */
export function broadcastSending(failpoint: Failpoint): JobDefinition<'broadcast'> {
  const { run } = accountJob<'broadcast'>(async (db, journal, { payload }) => {
    const broadcast = await broadcasts.find(db, journal.account.id, payload.broadcast);
    // The run changed: the broadcast was paused, resumed or canceled since this job was queued.
    if (broadcast?.run !== payload.run) return;
    if (broadcast.status === 'Scheduled') await beginBroadcast(db, journal, broadcast);
    else if (broadcast.status === 'Sending') await sendPart(db, journal, broadcast);
  });
  return {
    isLarge: true,
    run: async (job) => {
      failpoint('broadcast.leased');
      const finish = await run(job);
      return async (db, now) => {
        await finish(db, now);
        failpoint('broadcast.sending');
      };
    },
  };
}

async function sendPart(db: Db, journal: Journal, broadcast: Broadcast): Promise<void> {
  const recipients = await nextRecipients(db, broadcast.id, chunk);
  const contacts = await findContacts(
    db,
    broadcast.account_id,
    recipients.map(({ contact_id: id }) => id),
  );
  // In the order of the recipients, which decides who gets the message when the credits run out (rule broadcasts.21).
  const outgoing = recipients.flatMap(({ contact_id: id }): Outgoing[] => {
    const contact = contacts.get(id);
    if (!contact) return [];
    const { channel, agent_id: agentId, id: broadcastId } = broadcast;
    return [{ journal, contact, isNewContact: false, channel, body: broadcast.body ?? '', sender: 'automated', agentId, broadcastId }];
  });
  const outcomes = await sendMessages(db, outgoing);
  const sent = new Set(outgoing.filter((_, index) => !(outcomes[index] instanceof ApiError)).map(({ contact }) => contact.id));
  const settled = recipients.map((recipient) => ({ ...recipient, state: sent.has(recipient.contact_id) ? 'sent' : 'failed' }) as const);
  await settleRecipients(db, broadcast.id, settled);
  const isLast = recipients.length < chunk;
  const counts = { sent: broadcast.sent + sent.size, failed: broadcast.failed + settled.length - sent.size };
  const changed = await changeBroadcast(db, broadcast, {
    ...counts,
    ...(isLast && { status: endStatus(broadcast.total, counts.failed), updated_at: journal.now }),
  });
  if (isLast) journal.emit('Broadcast Completed', () => ({ broadcast: broadcastRecord(changed) }));
  else await enqueue(db, sendJob(changed, journal.now));
}
