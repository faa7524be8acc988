import type { updateAccount } from '../../../contract/areas/sandbox/accounts.ts';
import type { CalendarFixture, LeftOut } from '../../../contract/areas/sandbox/calendar.ts';
import type { Body } from '../../../contract/endpoint.ts';
import { lockStateShared } from '../../clock/state.ts';
import { invalidField } from '../../errors.ts';
import type { AreaHandlers, Service } from '../../http/handler.ts';
import { newId } from '../../store/ids.ts';
import { readConnection } from '../calendars/records.ts';
import { connectChannel, ownNumber } from '../channels/records.ts';
import { readAddress } from '../contacts/address.ts';
import { createMainKey } from '../keys/records.ts';
import { addMember, requireMember } from '../team/records.ts';
import { accountRecord, changeAccount, mergeAccount, requireAccount } from './accounts.ts';
import { createAccountWithKey } from './first-account.ts';

type AccountEndpoint =
  `sandbox.${`accounts.${'create' | 'get' | 'update' | 'mainKey'}` | `members.${'add' | 'token'}` | 'channels.add' | 'uploads.add'}`;

/**
 * The calendar in a request, including the events from its iCalendar text. Times without a zone are in the zone of the primary
 * calendar.
 */
async function readFixture(
  { store }: Pick<Service, 'store'>,
  accountId: string,
  { ics, ...fixture }: NonNullable<Body<typeof updateAccount>['calendar']>,
  now: number,
): Promise<{ calendar: CalendarFixture; leftOut?: readonly LeftOut[] }> {
  if (ics === undefined) return { calendar: fixture };
  const { calendars = [] } = await store.read(async (db) => {
    await requireAccount(db, accountId);
    return fixture.calendars ? fixture : await readConnection(db, accountId);
  });
  const timezone = calendars.find(({ primary }) => primary)?.timeZone ?? 'UTC';
  // Loaded on demand: it needs worker threads, which few commands use.
  const { readICalendar } = await import('../calendars/icalendar/read.ts');
  const { events, leftOut } = await readICalendar(ics, now, timezone);
  return { calendar: { ...fixture, events: [...events] }, leftOut };
}

/** Accounts, with their members, channels and files. */
export const accountHandlers: Pick<AreaHandlers<'sandbox'>, AccountEndpoint> = {
  'sandbox.accounts.create': async ({ service, body: { name, email = null, kind, parent_account_id: parentId, plan = {} }, now }) =>
    await service.store.write(
      async (db) => {
        // A reset deletes the root accounts that it finds and then all records, so no root account may appear meanwhile.
        if (!parentId) await lockStateShared(db);
        const parent = parentId ? await requireAccount(db, parentId) : null;
        if (parent && parent.kind !== 'agency') throw invalidField('parent_account_id', 'must be an agency');
        if (parent && kind === 'agency') throw invalidField('kind', 'an agency cannot have a parent account');
        const { accountId, apiKey } = await createAccountWithKey(db, { name, email, kind, parentId: parent?.id ?? null, plan }, now);
        return { account_id: accountId, api_key: apiKey };
      },
      { accounts: parentId ? [parentId] : [] },
    ),

  'sandbox.accounts.get': async ({ service, params }) =>
    await service.store.read(async (db) => ({ account: await accountRecord(db, await requireAccount(db, params.id)) })),

  'sandbox.accounts.update': async ({ service, params, body, now }) => {
    const { calendar, leftOut } = body.calendar ? await readFixture(service, params.id, body.calendar, now) : {};
    return await changeAccount(service, params.id, async (db, account) => {
      await mergeAccount(db, account, { ...body, calendar }, now);
      const record = await accountRecord(db, await requireAccount(db, account.id));
      return { account: record, ...(leftOut && { left_out: [...leftOut] }) };
    });
  },

  'sandbox.accounts.mainKey': async ({ service, params, now }) =>
    await changeAccount(service, params.id, async (db, { id }) => {
      return { api_key: await createMainKey(db, id, now) };
    }),

  'sandbox.members.add': async ({ service, params, body, now }) => {
    const member = await changeAccount(service, params.id, async (db, { id }) => {
      return await addMember(db, id, { ...body, role: body.role ?? 'member', isInvited: false }, now);
    });
    return { member_id: member.id, id_token: await service.identities.issue(member.id, member.email, now) };
  },

  'sandbox.members.token': async ({ service, params, now }) => {
    const { id, email } = await service.store.read(async (db) => {
      return await requireMember(db, (await requireAccount(db, params.id)).id, params.memberId);
    });
    return { id_token: await service.identities.issue(id, email, now) };
  },

  'sandbox.channels.add': async ({ service, params, body: { channel, identity, name = null }, now }) => {
    const address = await readAddress({ channel, phone_number: identity, identity }, 'identity');
    return await changeAccount(service, params.id, async (db, { id }) => {
      const own = 'number' in address ? await ownNumber(db, id, channel, address) : address.identity;
      return { channel_id: await connectChannel(db, id, { channel, identity: own, name }, now) };
    });
  },

  'sandbox.uploads.add': async ({ service, params, query, bytes, now }) =>
    await changeAccount(service, params.id, async (db, { id }) => {
      const path = `users/${id}/uploads/${newId('upl')}/${query.filename}`;
      await db.insertInto('uploads').values({ path, account_id: id, content: bytes, created_at: now }).execute();
      return { storage_path: path };
    }),
};
