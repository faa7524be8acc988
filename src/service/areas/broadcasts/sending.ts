import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { findAccount } from '../../identity/accounts.ts';
import { type Journal, withJournal } from '../activity/journal.ts';
import { findContacts } from '../contacts/records.ts';
import { ApiError } from '../../errors.ts';
import type { Failpoint } from '../../drills/failpoint.ts';
import { enqueue, type JobHandler } from '../../jobs/jobs.ts';
import { readNow } from '../../clock/state.ts';
import type { Db } from '../../store/store.ts';
import { type Outgoing, sendMessages } from '../messages/send.ts';
import { fixRecipients, settleRecipients, waitingRecipients } from './recipients.ts';
import { audienceOf, type Broadcast, broadcastRecord, changeBroadcast } from './records.ts';
import { endStatus } from './rules.ts';

/** How many recipients one transaction serves: others get their turn between, and a pause takes effect. */
const chunk = 250;

/** The job that sends the next part of a broadcast, or begins it. */
export function sendJob({ id, account_id: accountId, run }: Broadcast, dueAt: number) {
  return { kind: 'broadcast', accountId, payload: { broadcast: id, run }, dueAt };
}

/** Begins to send a broadcast: whom it goes to is fixed from here on. */
export async function begin(db: Db, journal: Journal, broadcast: Broadcast): Promise<Broadcast> {
  const { now } = journal;
  const total = await fixRecipients(db, broadcast.id, audienceOf(broadcast));
  const begun = await changeBroadcast(db, broadcast, { status: 'Sending', run: broadcast.run + 1, total, updated_at: now });
  journal.emit('Broadcast Started', () => ({ broadcast: broadcastRecord(begun) }));
  await enqueue(db, sendJob(begun, now));
  return begun;
}

/**
 * Makes the handler of jobs that send broadcasts, part by part. A part is sent in the transaction that ends its job: after
 * a crash either all of it was sent or none, so that each recipient gets it exactly once.
 */
export function broadcastSending(realNow: () => number, failpoint: Failpoint): JobHandler {
  return async ({ payload }) => {
    const { broadcast: id, run } = payload as { broadcast: string; run: number };
    failpoint('broadcast.leased');
    return async (db) => {
      const broadcast = await db.selectFrom('broadcasts').selectAll().where('id', '=', id).executeTakeFirst();
      const account = broadcast && (await findAccount(db, broadcast.account_id));
      // One that was paused, or set going anew since, is not this job's any more.
      if (!account || broadcast.run !== run) return;
      const now = await readNow(db, realNow());
      await withJournal(db, account, now, async (journal) => {
        if (broadcast.status === 'Scheduled') await begin(db, journal, broadcast);
        else if (broadcast.status === 'Sending') await sendNext(db, journal, broadcast);
      });
      failpoint('broadcast.sending');
    };
  };
}

async function sendNext(db: Db, journal: Journal, broadcast: Broadcast): Promise<void> {
  const recipients = await waitingRecipients(db, broadcast.id, chunk);
  const contacts = await findContacts(
    db,
    broadcast.account_id,
    recipients.map(({ contact_id: id }) => id),
  );
  const outgoing = [...contacts.values()].map((contact): Outgoing => ({
    contact,
    isNewContact: false,
    channel: broadcast.channel as ChannelName,
    body: broadcast.body ?? '',
    sender: 'automated',
    agentId: broadcast.agent_id,
    broadcastId: broadcast.id,
  }));
  const outcomes = await sendMessages(db, journal, outgoing);
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
