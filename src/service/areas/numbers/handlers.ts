import { checkNotEmpty } from '../../errors.ts';
import { type AreaHandlers, preparedHandler } from '../../http/handler.ts';
import { readNumberInPath } from '../contacts/address.ts';
import { labelNumber, numberRecords, readOwnNumbers, requireNumber } from './records.ts';

/** Loads the library of numbering plans before the transaction, which must not wait for it. */
async function loadCountries(): Promise<(number: string) => string | null> {
  const { readPhoneNumber } = await import('../../../contract/areas/contacts/phone-numbers.ts');
  return (number) => readPhoneNumber(number)?.country ?? null;
}

/** Reads the number in the path of a request. */
async function readOne({ params }: { readonly params: { readonly number: string } }) {
  return { phone: await readNumberInPath(params.number), countryOf: await loadCountries() };
}

export const numberHandlers: AreaHandlers<'numbers'> = {
  'numbers.list': preparedHandler(loadCountries, async ({ db, account, page, now }, countryOf) => {
    const numbers = await readOwnNumbers(db, account.id);
    const { rows, next_cursor } = await page(async (before: number | undefined, limit) =>
      numbers.filter(({ seq }) => before === undefined || seq < before).slice(0, limit),
    );
    return { phone_numbers: await numberRecords(db, account.id, rows, countryOf, now), next_cursor };
  }),

  'numbers.get': preparedHandler(readOne, async ({ db, account, now }, { phone, countryOf }) => {
    const number = await requireNumber(db, account.id, phone);
    const [record] = await numberRecords(db, account.id, [number], countryOf, now);
    return { phone_number: record as NonNullable<typeof record> };
  }),

  'numbers.update': preparedHandler(readOne, async ({ db, account, body, now }, { phone, countryOf }) => {
    checkNotEmpty(body);
    const number = await requireNumber(db, account.id, phone);
    if (body.label !== undefined) await labelNumber(db, account.id, number.number, body.label);
    const [record] = await numberRecords(db, account.id, [number], countryOf, now);
    return { phone_number: record as NonNullable<typeof record> };
  }),
};
