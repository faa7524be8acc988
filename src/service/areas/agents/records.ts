import { notFound } from '../../errors.ts';
import type { Db } from '../../store/store.ts';

/**
 * Checks that an account has an agent. None can be made yet, so there is none of any id.
 * @throws ApiError 404
 */
export async function requireAgent(_db: Db, _accountId: string, _id: string): Promise<void> {
  throw notFound('Agent');
}
