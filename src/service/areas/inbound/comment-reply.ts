import { readNow } from '../../clock/state.ts';
import { findAccount } from '../../identity/accounts.ts';
import type { Job, JobDefinition } from '../../jobs/job.ts';
import type { Store } from '../../store/store.ts';
import { accountJob } from '../activity/account-job.ts';
import { Journal } from '../activity/journal.ts';
import type { Writer } from '../answers/writer.ts';
import { type Answered, ask, modelRequest } from './answering.ts';
import { respondLater } from './respond.ts';
import { readTurn } from './turn.ts';

/** The parts of the machinery that these jobs use. */
interface CommentParts {
  readonly store: Store;
  readonly writer: Writer;
  readonly realNow: () => number;
}

/**
 * Defines the jobs that answer comments after their delay. A model is asked before the transaction that ends the job; the
 * reply is sent in that transaction, so that a crash neither loses nor repeats it.
 */
export function commentReply(parts: CommentParts): JobDefinition<'comment_reply'> {
  return {
    run: async (job) => {
      const answered = await askFirst(parts, job);
      const { run } = accountJob<'comment_reply'>(async (db, journal, { payload }) => {
        await respondLater(db, journal, payload, parts.writer, { answered, isTagged: false });
      });
      return await run(job);
    },
  };
}

/** Asks a model, if the answer depends on it. */
async function askFirst(
  { store, writer, realNow }: CommentParts,
  { accountId, payload }: Job<'comment_reply'>,
): Promise<Answered | undefined> {
  if (writer.isLocal) return undefined;
  const request = await store.read(async (db) => {
    const account = await findAccount(db, accountId ?? '');
    const turn = account && (await readTurn(db, account.id, payload));
    return turn && (await modelRequest(db, new Journal(db, account, await readNow(db, realNow()), undefined), turn));
  });
  return request && (await ask(writer, request));
}
