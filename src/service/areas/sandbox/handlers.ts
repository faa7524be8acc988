import { randomInt } from 'node:crypto';
import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { EndpointName, EndpointOf } from '../../../contract/endpoints.ts';
import { parseInstant } from '../../../contract/fields.ts';
import { type Journal, withJournal } from '../activity/journal.ts';
import { readAddress, readNumberInPath } from '../contacts/address.ts';
import type { Address } from '../contacts/rules.ts';
import { findAccount, insertAccount } from '../../identity/accounts.ts';
import { replaceMainKey } from '../keys/records.ts';
import { drop, expire, scan } from '../channels/pairing.ts';
import { connectChannel } from '../channels/records.ts';
import { frozenAt, iso, readClock, runningFrom } from '../../clock/clock.ts';
import type { SandboxContext, SandboxHandler, Service } from '../../http/context.ts';
import { readPage } from '../../http/cursors.ts';
import { ApiError, notFound } from '../../errors.ts';
import { newId } from '../../identity/secrets.ts';
import { countJobs } from '../../jobs/jobs.ts';
import { readState, updateState } from '../../clock/state.ts';
import type { Db } from '../../store/store.ts';
import { messageRecord } from '../messages/records.ts';
import { receiveMessage } from '../messages/receive.ts';
import { takeReceipt } from '../messages/receipts.ts';
import { replyAsTeam } from '../messages/team-reply.ts';
import { insertMember } from '../team/records.ts';
import { emitAll } from '../webhooks/emit.ts';
import { deliveryRecords, listDeliveries } from '../webhooks/records.ts';
import { sampleData } from '../webhooks/sample-data.ts';
import { addStartingCredits, createFirstAccount, emptyStore } from './first-account.ts';
import { accountRecord, listRequests, mergeAccount, requestRecord } from './records.ts';

type SandboxHandlers = {
  [Name in Extract<EndpointName, `sandbox.${string}`>]: SandboxHandler<EndpointOf<Name>>;
};

/** How long settle waits, in real milliseconds. */
const settlePatience = 30_000;

async function requireAccount(db: Db, id: string) {
  const account = await findAccount(db, id);
  if (!account) throw notFound('Account');
  return account;
}

/** Does something on an account in a transaction, and writes what follows from it. */
async function inJournal<Result>(
  { store }: Service,
  accountId: string,
  now: number,
  work: (db: Db, journal: Journal) => Promise<Result>,
): Promise<Result> {
  return await store.write(async (db) => {
    const account = await requireAccount(db, accountId);
    return await withJournal(db, account, now, (journal) => work(db, journal));
  });
}

/** How an own number or account is kept. */
function writtenAs(own: Address): string {
  return 'number' in own ? own.number : own.identity;
}

/** Lets something happen to the pairing of a number. */
async function changePairing(
  { service, params, now }: Pick<SandboxContext<Endpoint>, 'service' | 'now'> & { params: { id: string; phone: string } },
  change: typeof scan,
) {
  const number = await readNumberInPath(params.phone);
  return await service.store.write(async (db) => {
    const { id } = await requireAccount(db, params.id);
    return { phone_number: number, status: await change(db, id, number, now) };
  });
}

async function showJobs(service: Service) {
  return await service.store.read(async (db) => ({ hold: (await readState(db)).hold, waiting: await countJobs(db) }));
}

/** The tags of the contact that an event's data names, if any. */
function tagsWithin({ contact }: Record<string, unknown>): string[] {
  const { tags } = (contact ?? {}) as { tags?: unknown };
  return Array.isArray(tags) ? tags.map((tag: unknown) => String((tag as { id?: unknown } | null)?.id)) : [];
}

export const sandboxHandlers: SandboxHandlers = {
  'sandbox.reset': async ({ service }) => {
    const made = await service.store.write(async (db) => {
      const now = readClock((await readState(db)).clock, service.realNow());
      await emptyStore(db);
      return await createFirstAccount(db, now);
    });
    service.forget();
    return { account_id: made.accountId, api_key: made.apiKey };
  },

  'sandbox.clock.get': async ({ now, state }) => ({ now: iso(now), frozen: state.clock.clock_frozen === 1 }),

  'sandbox.clock.set': async ({ service, body }) =>
    await service.store.write(async (db) => {
      const { advance_until } = await db.selectFrom('service_state').select('advance_until').executeTakeFirstOrThrow();
      if (advance_until > service.realNow()) throw new ApiError(409, 'An advance of the clock is running');
      const { clock } = await readState(db);
      const reading = readClock(clock, service.realNow());
      const wanted = body.now === undefined ? reading : (parseInstant(body.now) as number);
      if (wanted < reading) throw new ApiError(400, `now: must not be earlier than the clock's reading, ${iso(reading)}`);
      const set = body.frozen === false ? runningFrom(wanted, service.realNow()) : frozenAt(wanted);
      await updateState(db, set);
      return { now: iso(wanted), frozen: set.clock_frozen === 1 };
    }),

  'sandbox.clock.advance': async ({ service, body }) => {
    const { now, fired } = await service.jobs.advance(body.seconds);
    return { now: iso(now), fired };
  },

  'sandbox.settle': async ({ service }) => {
    const { jobsRun, drained } = await service.jobs.drain(settlePatience);
    if (!drained) throw new ApiError(504, `Jobs are still due after ${settlePatience / 1000} seconds`);
    return { jobs_run: jobsRun };
  },

  'sandbox.jobs.get': async ({ service }) => await showJobs(service),

  'sandbox.jobs.hold': async ({ service, body }) => {
    const hold = body.hold === 'all' ? 'all' : [...new Set(body.hold)];
    await service.store.write((db) => updateState(db, { hold: JSON.stringify(hold) }));
    return await showJobs(service);
  },

  'sandbox.accounts.create': async ({ service, body, now }) =>
    await service.store.write(async (db) => {
      const parent = body.parent_account_id ? await requireAccount(db, body.parent_account_id) : null;
      if (parent && parent.kind !== 'agency') throw new ApiError(400, 'parent_account_id: must be an agency');
      if (parent && body.kind === 'agency') throw new ApiError(400, 'kind: an agency has no parent account');
      const id = await insertAccount(db, {
        name: body.name,
        email: body.email ?? null,
        kind: body.kind,
        parentId: parent?.id ?? null,
        plan: body.plan ?? {},
        now,
      });
      await addStartingCredits(db, id, now);
      return { account_id: id, api_key: await replaceMainKey(db, id, now) };
    }),

  'sandbox.accounts.get': async ({ service, params }) =>
    await service.store.read(async (db) => ({ account: await accountRecord(db, await requireAccount(db, params.id)) })),

  'sandbox.accounts.update': async ({ service, params, body, now }) =>
    await service.store.write(async (db) => {
      await mergeAccount(db, await requireAccount(db, params.id), body, now);
      return { account: await accountRecord(db, await requireAccount(db, params.id)) };
    }),

  'sandbox.accounts.mainKey': async ({ service, params, now }) =>
    await service.store.write(async (db) => {
      const { id } = await requireAccount(db, params.id);
      return { api_key: await replaceMainKey(db, id, now) };
    }),

  'sandbox.members.add': async ({ service, params, body, now }) => {
    const memberId = await service.store.write(async (db) => {
      const { id } = await requireAccount(db, params.id);
      return await insertMember(db, { ...body, accountId: id, role: body.role ?? 'member', now });
    });
    return { member_id: memberId, id_token: await service.identities.issue(memberId, body.email, now) };
  },

  'sandbox.channels.add': async ({ service, params, body: { channel, identity, name = null }, now }) => {
    const own = await readAddress({ channel, phone_number: identity, identity }, 'identity');
    return await service.store.write(async (db) => {
      const { id } = await requireAccount(db, params.id);
      return { channel_id: await connectChannel(db, id, { channel, identity: writtenAs(own), name }, now) };
    });
  },

  'sandbox.inbound': async ({ service, params, body, now }) => {
    const from = await readAddress({ channel: body.channel, phone_number: body.from, identity: body.from }, 'from');
    const own = body.to === undefined ? null : await readAddress({ channel: body.channel, phone_number: body.to, identity: body.to }, 'to');
    const to = own === null ? undefined : writtenAs(own);
    const person = { firstName: body.first_name, lastName: body.last_name };
    const { message, decision } = await inJournal(service, params.id, now, (db, journal) =>
      receiveMessage(db, journal, { channel: body.channel, from, to, text: body.text, person, replyTo: body.reply_to_message_id }),
    );
    const { step, agentId, entryPointId } = decision;
    return {
      contact_id: message.contact_id,
      message_id: message.id,
      session_id: message.session_id,
      decision: { step, agent_id: agentId, entry_point_id: entryPointId },
      reply: null,
    };
  },

  'sandbox.receipts': async ({ service, params, body, now }) => {
    const message = await inJournal(service, params.id, now, (db, journal) => takeReceipt(db, journal, body.message_id, body.status));
    return { message: messageRecord(message) };
  },

  'sandbox.teamReplies': async ({ service, params, body, now }) => {
    const message = await inJournal(service, params.id, now, (db, journal) => replyAsTeam(db, journal, body.contact_id, body.text));
    return { message_id: message.id, contact_id: message.contact_id, channel: message.channel as ChannelName };
  },

  'sandbox.pairings.scan': (context) => changePairing(context, scan),
  'sandbox.pairings.expire': (context) => changePairing(context, expire),
  'sandbox.pairings.drop': (context) => changePairing(context, drop),

  'sandbox.uploads.add': async ({ service, params, query, bytes, now }) =>
    await service.store.write(async (db) => {
      const { id } = await requireAccount(db, params.id);
      const path = `users/${id}/uploads/${newId('upl')}/${query.filename}`;
      await db.insertInto('uploads').values({ path, account_id: id, content: bytes, created_at: now }).execute();
      return { storage_path: path };
    }),

  'sandbox.events.trigger': async ({ service, params, body, now }) => {
    const name = body.event;
    if (name === 'Channel Connected') throw new ApiError(400, "event: nothing emits 'Channel Connected'");
    const data = body.data ?? (sampleData(name, now) as Record<string, unknown>);
    return await service.store.write(async (db) => {
      const { id } = await requireAccount(db, params.id);
      const [eventId = ''] = await emitAll(db, id, [{ name, data: () => data, contactTags: tagsWithin(data), at: now }]);
      return { event_id: eventId };
    });
  },

  'sandbox.deliveries.list': async ({ service, query }) =>
    await service.store.read(async (db) => {
      const place = { endpoint: 'sandbox.deliveries.list', accountId: '' };
      const { rows, next_cursor } = await readPage(service.cursorSecret, place, query, (before, take) =>
        listDeliveries(db, query, before, take),
      );
      return { deliveries: await deliveryRecords(db, rows), next_cursor };
    }),

  'sandbox.deliveries.resend': async ({ service, params }) => ({ delivered: (await service.deliveries.resend(params.id)).delivered }),

  'sandbox.requests.list': async ({ service, query }) => {
    await service.flush();
    return await service.store.read(async (db) => {
      const place = { endpoint: 'sandbox.requests.list', accountId: '' };
      const { rows, next_cursor } = await readPage(service.cursorSecret, place, query, (before, take) => listRequests(db, before, take));
      return { requests: rows.map(requestRecord), next_cursor };
    });
  },

  'sandbox.faults.add': async ({ service, body }) => {
    const fault = { id: newId('flt'), ...body, ...(body.rate === undefined ? {} : { seed: body.seed ?? randomInt(2 ** 31) }) };
    await service.store.write(async (db) => {
      const { faults } = await readState(db);
      await updateState(db, { faults: JSON.stringify([...faults, { ...fault, matched: 0, fired: 0 }]) });
    });
    return { fault };
  },

  'sandbox.faults.list': async ({ state }) => ({
    faults: state.faults.map(({ matched: _matched, fired: _fired, ...fault }) => fault),
  }),

  'sandbox.faults.clear': async ({ service }) => {
    await service.store.write((db) => updateState(db, { faults: '[]' }));
    return {};
  },

  'sandbox.jwks': async ({ service }) => ({ keys: service.identities.jwks.keys }),
};
