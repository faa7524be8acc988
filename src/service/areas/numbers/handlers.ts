import { checkNotEmpty } from '../../errors.ts';
import { type AreaHandlers, preparedHandler } from '../../http/handler.ts';
import { labelNumber, numberRecords, type ReadNumber, readOwnNumbers, requireNumber } from './records.ts';

/** Loads the library of numbering plans before the transaction, which must not wait for it. */
async function loadReader(): Promise<ReadNumber> {
  const { readPhoneNumber } = await import('../../../contract/areas/contacts/phone-numbers.ts');
  return (text) => readPhoneNumber(text) ?? null;
}

export const numberHandlers: AreaHandlers<'numbers'> = {
  'numbers.list': preparedHandler(loadReader, async ({ db, account, page, now }, read) => {
    const numbers = await readOwnNumbers(db, account.id, read);
    const { rows, next_cursor } = await page(async (before: number | undefined, limit) =>
      numbers.filter(({ seq }) => before === undefined || seq < before).slice(0, limit),
    );
    return { phone_numbers: await numberRecords(db, account.id, rows, read, now), next_cursor };
  }),

  'numbers.get': preparedHandler(loadReader, async ({ db, account, params, now }, read) => {
    const number = await requireNumber(db, account.id, params.number, read);
    const [record] = await numberRecords(db, account.id, [number], read, now);
    return { phone_number: record as NonNullable<typeof record> };
  }),

  'numbers.update': preparedHandler(loadReader, async ({ db, account, params, body, now }, read) => {
    checkNotEmpty(body);
    const number = await requireNumber(db, account.id, params.number, read);
    if (body.label !== undefined) await labelNumber(db, account.id, number.number, body.label);
    const [record] = await numberRecords(db, account.id, [number], read, now);
    return { phone_number: record as NonNullable<typeof record> };
  }),
};
