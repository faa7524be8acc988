import { readNow } from '../../clock/state.ts';
import { findAccount } from '../../identity/accounts.ts';
import type { Parts } from '../../parts.ts';
import type { Db } from '../../store/database.ts';
import { Journal } from '../activity/journal.ts';
import { modelRequest } from './answering.ts';
import { type Answered, askModel } from './asking.ts';
import { type LaterTurn, readTurn } from './turn.ts';

/**
 * Calls a model for a job that continues a turn, if the turn needs one.
 * @param isWanted whether the turn is still to be answered
 */
export async function askLater(
  parts: Parts,
  accountId: string | null,
  later: LaterTurn,
  isWanted: (db: Db, now: number) => Promise<boolean>,
): Promise<Answered | undefined> {
  const { store, realNow } = parts;
  if (parts.writer.isLocal) return undefined;
  const asked = await store.read(async (db) => {
    const account = await findAccount(db, accountId ?? '');
    const now = await readNow(db, realNow());
    if (!account || !(await isWanted(db, now))) return undefined;
    const turn = await readTurn(db, account.id, later);
    return turn && (await modelRequest(db, new Journal(db, account, now, undefined), turn, parts));
  });
  return asked && (await askModel(parts, asked));
}
