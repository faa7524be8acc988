import type { Job, JobDefinition } from '../../jobs/job.ts';
import type { Db } from '../../store/database.ts';
import { finishOnAccount } from '../activity/account-job.ts';
import { entryPoints } from '../routing/table.ts';
import { askLater } from './ask-later.ts';
import { keepUnanswered, respondLater } from './respond.ts';

/**
 * After the job of a comment's reply was leased; after a model was called; after the reply was written, before its transaction is
 * committed.
 */
export const commentFailpoints = ['comment.leased', 'comment.asked', 'comment.sending'] as const;

declare module '../../drills/failpoint.ts' {
  interface FailpointNames {
    comments: (typeof commentFailpoints)[number];
  }
}

/**
 * Defines the jobs that reply to comments after a delay, and those that reply when a process died while a model wrote. A model is
 * called before the transaction that ends the job. The reply is sent in that transaction, so that a crash neither loses nor
 * repeats it.
 */
export const commentReply: JobDefinition<'comment_reply'> = {
  run: async (job, parts) => {
    const { failpoint } = parts;
    failpoint('comment.leased');
    const answered = await askLater(parts, job.accountId, job.payload, (db) => isRuleEnabled(db, job));
    failpoint('comment.asked');
    return finishOnAccount(job.accountId, async (db, journal) => {
      if (await isRuleEnabled(db, job)) await respondLater(db, journal, job.payload, parts, answered);
      else if (answered) await keepUnanswered(db, journal, job.payload, answered);
      failpoint('comment.sending');
    });
  },
  told: async ({ payload: { contactId, messageId } }, parts) => ({
    message_id: messageId,
    public_reply: messageId === null ? null : await parts.store.read((db) => publicReplyTo(db, contactId, messageId)),
  }),
};

/** The public reply to a comment; null when it has none. */
async function publicReplyTo(db: Db, contactId: string, messageId: string): Promise<string | null> {
  const ofComment = db
    .selectFrom('decisions')
    .select('public_reply')
    .where('contact_id', '=', contactId)
    .where('message_id', '=', messageId);
  return (await ofComment.executeTakeFirst())?.public_reply ?? null;
}

/** Whether the rule of a reply is still enabled. The contact's own agent replies without one. */
async function isRuleEnabled(db: Db, { accountId, payload: { entryPointId } }: Job<'comment_reply'>): Promise<boolean> {
  return entryPointId === null || (await entryPoints.find(db, accountId ?? '', entryPointId))?.enabled === true;
}
