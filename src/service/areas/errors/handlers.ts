import type { AreaHandlers } from '../../http/handler.ts';
import { readPeriod } from '../../http/period.ts';
import { contacts } from '../contacts/table.ts';
import { errorRecordsShown, listErrorRecords, requireEntity } from './records.ts';

export const errorHandlers: AreaHandlers<'errors'> = {
  'errors.list': async ({ db, account, query, page }) => {
    const { source, code, entity_id: entityId, contact_id: contactId } = query;
    const period = readPeriod(query);
    if (contactId !== undefined) await contacts.require(db, account.id, contactId);
    const entity = entityId === undefined ? undefined : await requireEntity(db, account.id, entityId);
    const filters = { source, code, contact_id: contactId, entity, ...period };
    const { rows, next_cursor } = await page((before, limit) => listErrorRecords(db, account.id, filters, { before, limit }));
    return { errors: await errorRecordsShown(db, account.id, rows), next_cursor };
  },
};
