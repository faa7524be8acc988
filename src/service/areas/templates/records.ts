import { notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';

/** Checks that an account has a template. No template can be created yet. @throws ApiError 404 */
export async function requireTemplate(_db: Db, _accountId: string, _id: string): Promise<void> {
  throw notFound('Template');
}
