import { notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';

/** Checks that an account has an agent. No agent can be created yet. @throws ApiError 404 */
export async function requireAgent(_db: Db, _accountId: string, _id: string): Promise<void> {
  throw notFound('Agent');
}
