import { readNow } from '../../clock/state.ts';
import { findAccount } from '../../identity/accounts.ts';
import type { Job, JobDefinition } from '../../jobs/job.ts';
import type { Parts } from '../../parts.ts';
import type { Db } from '../../store/database.ts';
import { finishOnAccount } from '../activity/account-job.ts';
import { Journal } from '../activity/journal.ts';
import { entryPoints } from '../routing/table.ts';
import { modelRequest } from './answering.ts';
import { type Answered, askModel } from './asking.ts';
import { keepUnanswered, respondLater } from './respond.ts';
import { readTurn } from './turn.ts';

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
    const answered = await askFirst(parts, job);
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

/** Calls a model if the reply needs one. */
async function askFirst(parts: Parts, job: Job<'comment_reply'>): Promise<Answered | undefined> {
  const { accountId, payload } = job;
  const { store, realNow } = parts;
  if (parts.writer.isLocal) return undefined;
  const asked = await store.read(async (db) => {
    const account = await findAccount(db, accountId ?? '');
    if (!account || !(await isRuleEnabled(db, job))) return undefined;
    const turn = await readTurn(db, account.id, payload);
    return turn && (await modelRequest(db, new Journal(db, account, await readNow(db, realNow()), undefined), turn, parts));
  });
  return asked && (await askModel(parts, asked));
}

/** Whether the rule of a reply is still enabled. The contact's own agent replies without one. */
async function isRuleEnabled(db: Db, { accountId, payload: { entryPointId } }: Job<'comment_reply'>): Promise<boolean> {
  return entryPointId === null || (await entryPoints.find(db, accountId ?? '', entryPointId))?.enabled === true;
}
