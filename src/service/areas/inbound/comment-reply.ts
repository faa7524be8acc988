import type { JobDefinition } from '../../jobs/job.ts';
import type { Store } from '../../store/store.ts';
import type { Writer } from '../answers/writer.ts';
import { accountJob } from '../activity/account-job.ts';
import { type Answered, ask, endsUnasked, makeRequest } from './answering.ts';
import { respondLater } from './respond.ts';
import { type LaterTurn, readTurn } from './turn.ts';

/**
 * Defines the jobs that answer comments after their delay. A model is asked before the transaction that ends the job; the
 * reply is sent in that transaction, so that a crash neither loses nor repeats it.
 */
export function commentReply(store: Store, writer: Writer): JobDefinition<'comment_reply'> {
  return {
    run: async (job) => {
      const answered = await askFirst(store, writer, job.accountId ?? '', job.payload);
      const { run } = accountJob<'comment_reply'>(async (db, journal, { payload }) => {
        await respondLater(db, journal, payload, writer, { answered, isTagged: false });
      });
      return await run(job);
    },
  };
}

async function askFirst(store: Store, writer: Writer, accountId: string, later: LaterTurn): Promise<Answered | undefined> {
  if (writer.isLocal) return undefined;
  const request = await store.read(async (db) => {
    const turn = await readTurn(db, accountId, later);
    return turn && !endsUnasked(turn) ? await makeRequest(db, accountId, turn) : undefined;
  });
  return request && (await ask(writer, request));
}
