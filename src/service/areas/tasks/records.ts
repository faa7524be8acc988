import type { Query } from '../../../contract/endpoint.ts';
import type { listTasks as listTasksEndpoint } from '../../../contract/areas/tasks/endpoints.ts';
import type { Db } from '../../store/database.ts';
import { hasValue } from '../../store/index-order.ts';
import { tasks } from './table.ts';

type Filters = Pick<Query<typeof listTasksEndpoint>, 'contact_id' | 'status'>;

/** Lists tasks by descending `seq`, below `before`. @param filters with a contact of the account, if any */
export async function listTasks(
  db: Db,
  accountId: string,
  { contact_id: contact, status }: Filters,
  before: number | undefined,
  limit: number,
) {
  const [column, value] = contact === undefined ? (['account_id', accountId] as const) : (['contact_id', contact] as const);
  let query = db
    .selectFrom('tasks')
    .selectAll()
    .where(hasValue(db, column, value))
    .orderBy(column, 'desc')
    .orderBy('seq', 'desc')
    .limit(limit);
  if (before !== undefined) query = query.where('seq', '<', before);
  if (status !== undefined) query = query.where('status', '=', status);
  return (await query.execute()).map((row) => tasks.decode(row));
}
