import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { MaintenanceTask } from '../../maintenance/task.ts';
import { trimming } from '../../maintenance/trimming.ts';
import type { Db } from '../../store/database.ts';
import { noteConversations, noteDeleted } from '../activity/incomplete-days.ts';

/** Defines the task that deletes messages. @param keep how long messages are kept, in milliseconds */
export function trimmingMessages(keep: number): MaintenanceTask {
  const onDelete = async (db: Db, isDeleted: RawBuilder<SqlBool>) => {
    await noteDeleted(db, 'messages', 'created_at', isDeleted);
    await noteConversations(db, sql<SqlBool>`id in (select session_id from messages where ${isDeleted})`);
  };
  return trimming({ table: 'messages', time: 'created_at', keep, onDelete });
}
