import type { Db } from '../../store/database.ts';
import { importSessions } from './table.ts';

/** How long an import session is valid, in milliseconds. */
const validFor = 60 * 60_000;

/** Opens a session for the calls that import the rest of a selection. The whole selection was already checked. @returns its id */
export async function openImportSession(
  db: Db,
  accountId: string,
  counts: { readonly approved: number; readonly used: number },
  now: number,
): Promise<string> {
  // Cleans up expired sessions.
  await db.deleteFrom('kb_import_sessions').where('account_id', '=', accountId).where('expires_at', '<=', now).execute();
  const { id } = await importSessions.create(db, accountId, { ...counts, expires_at: now + validFor }, now);
  return id;
}

/**
 * Uses pages of a session.
 * @returns the number of pages that it covers; undefined when the session is unknown, expired or of another account, so that it
 * covers none
 */
export async function useImportSession(
  db: Db,
  accountId: string,
  id: string | undefined,
  pages: number,
  now: number,
): Promise<{ covered: number } | undefined> {
  const session = id === undefined ? undefined : await importSessions.find(db, accountId, id);
  if (!session || session.expires_at <= now) return undefined;
  const covered = Math.min(pages, Math.max(0, session.approved - session.used));
  await importSessions.change(db, accountId, session.id, { used: session.used + covered }, now);
  return { covered };
}
