import type { approveBroadcast, RecipientStatus, updateBroadcast } from '../../../contract/areas/broadcasts/endpoints.ts';
import type { Body, Endpoint } from '../../../contract/endpoint.ts';
import { readList } from '../../../contract/fields.ts';
import { ApiError, checkNotEmpty, invalidField } from '../../errors.ts';
import {
  type AccountContext,
  type AreaHandlers,
  ownTransactionsHandler,
  preparedHandler,
  type RequestContext,
  searchHandler,
} from '../../http/handler.ts';
import { deleteWithDependents } from '../../identity/deleted-accounts.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { withJournal } from '../activity/journal.ts';
import { requireAgent } from '../agents/records.ts';
import { countAudience } from '../audiences/count.ts';
import { dropAudience, findAudience, fixInSteps } from '../audiences/fixing.ts';
import { requireInSteps } from '../contacts/records.ts';
import { requireLists } from '../lists/records.ts';
import { requireApproved, requireTemplate, unreviewedChannel } from '../templates/records.ts';
import { broadcastRecord, listInSteps, placesOf, readFields } from './records.ts';
import { previewBroadcast } from './preview.ts';
import { listRecipients, readCounts } from './recipient-list.ts';
import { type BroadcastStep, isLater, nextStatus } from './rules.ts';
import { beginBroadcast, continueStart, sendJob } from './sending.ts';
import { type Broadcast, broadcasts } from './table.ts';

type StepContext = Pick<AccountContext<Endpoint>, 'db' | 'account' | 'now'> & { readonly params: { readonly id: string } };

/** @throws ApiError 404 when the account does not have the agent, the template or a list that the fields refer to */
async function checkReferences(db: Db, accountId: string, fields: Body<typeof updateBroadcast>): Promise<void> {
  if (fields.agent_id) await requireAgent(db, accountId, fields.agent_id);
  if (fields.template_id) await requireTemplate(db, accountId, fields.template_id);
  await requireLists(db, accountId, fields.list_ids ?? []);
}

const oneContent = () => invalidField('body', "give either 'body' or 'template_id'", { reason: 'choice_of_fields' });

/**
 * @throws ApiError 400 unless the broadcast has recipients, and either a text or a template (the latter only on a channel with
 * templates)
 */
function checkContent(content: Pick<Broadcast, 'channel' | 'body' | 'template_id' | 'contact_ids' | 'list_ids'>): void {
  if ((content.body === null) === (content.template_id === null)) throw oneContent();
  if (content.template_id !== null && content.channel !== 'chatapp' && content.channel !== unreviewedChannel)
    throw invalidField('channel', `templates are sent on chatapp or ${unreviewedChannel}`);
  if (content.contact_ids.length === 0 && content.list_ids.length === 0)
    throw invalidField('contact_ids', "give 'contact_ids' or 'list_ids'", { reason: 'choice_of_fields' });
}

/**
 * Moves a broadcast to its next status.
 * @param total the size of its audience; by default, the stored number is kept
 * @throws ApiError 409 when its status does not allow the step
 */
async function takeStep({ db, account, params, now }: StepContext, step: BroadcastStep, total?: number): Promise<Broadcast> {
  const broadcast = await broadcasts.require(db, account.id, params.id);
  const status = nextStatus(broadcast.status, step, isLater(broadcast, now));
  if (status === undefined) throw new ApiError(409, `The broadcast is ${broadcast.status}: it cannot be ${past[step]}`);
  if (step === 'approve' && status === 'Sending') {
    if (broadcast.template_id !== null) await requireApproved(db, account.id, broadcast.template_id);
    return await withJournal(db, account, now, (journal) => beginBroadcast(db, journal, broadcast));
  }
  const change = { status, total: total ?? broadcast.total, run: broadcast.run + 1, updated_at: now };
  const changed = await broadcasts.setColumns(db, broadcast, change);
  if (status === 'Scheduled') await enqueue(db, sendJob(changed, broadcast.scheduled_at ?? now));
  if (status === 'Sending') await enqueue(db, sendJob(changed, now));
  return changed;
}

/** Approves a broadcast. If it begins immediately, its recipients are fixed before the answer, in steps. */
async function approve(context: RequestContext<typeof approveBroadcast>): Promise<Broadcast> {
  const { service, account, params, now, write } = context;
  const keeping = async (db: Db, broadcast: Broadcast) => {
    await context.keep(db, { broadcast: broadcastRecord(broadcast) });
    return broadcast;
  };
  const approved = await write(async (db) => await keeping(db, await takeStep({ ...context, db }, 'approve')));
  if (approved.status !== 'Sending' || !(await service.store.read((db) => findAudience(db, approved.id)))) return approved;
  await fixInSteps(context);
  return await write(async (db) => {
    const broadcast = await broadcasts.require(db, account.id, params.id);
    const audience = await findAudience(db, broadcast.id);
    if (!audience) return await keeping(db, broadcast);
    return await keeping(db, await withJournal(db, account, now, (journal) => continueStart(db, journal, broadcast, audience)));
  });
}

async function answerStep(context: StepContext, step: BroadcastStep) {
  return { broadcast: broadcastRecord(await takeStep(context, step)) };
}

const past: Record<BroadcastStep, string> = {
  submit: 'submitted',
  approve: 'approved',
  pause: 'paused',
  resume: 'resumed',
  cancel: 'cancelled',
};

const emptyContent = { body: null, template_id: null, contact_ids: [], list_ids: [] };

/** Dependent rows of a broadcast, which can be many. */
const recipients = [{ table: 'broadcast_recipients', column: 'broadcast_id', isUnreferenced: true }];

export const broadcastHandlers: AreaHandlers<'broadcasts'> = {
  'broadcasts.list': ownTransactionsHandler(async ({ service, account, page }) => {
    const { rows, next_cursor } = await page((before, limit) => listInSteps(service, account.id, before, limit));
    return { broadcasts: rows.map(broadcastRecord), next_cursor };
  }),

  'broadcasts.create': preparedHandler(
    async ({ service, account, body }) => {
      const content = { ...emptyContent, ...readFields(body), channel: body.channel };
      checkContent(content);
      await requireInSteps(service, account.id, body.contact_ids ?? []);
      return await countAudience(service, account.id, content);
    },
    async ({ db, account, body, now }, total) => {
      await checkReferences(db, account.id, body);
      const fields = { ...readFields(body), name: body.name, channel: body.channel, total };
      return { broadcast: broadcastRecord(await broadcasts.create(db, account.id, fields, now)) };
    },
  ),

  'broadcasts.get': async ({ db, account, params }) => ({
    broadcast: broadcastRecord(await broadcasts.require(db, account.id, params.id)),
  }),

  'broadcasts.contacts': async ({ db, account, params, page }) => {
    const { contact_ids: ids } = await broadcasts.require(db, account.id, params.id);
    const { rows, next_cursor } = await page(async (after, limit) => placesOf(ids, after, limit));
    return { contact_ids: rows.map(({ id }) => id), next_cursor };
  },

  'broadcasts.recipients': async ({ db, account, params, query, page }) => {
    const broadcast = await broadcasts.require(db, account.id, params.id);
    const states = query.status === undefined ? undefined : ([...new Set(readList(query.status))] as RecipientStatus[]);
    const { rows, next_cursor } = await page((after, limit) => listRecipients(db, broadcast, states, after, limit));
    return { recipients: rows.map(({ record }) => record), counts: await readCounts(db, broadcast.id), next_cursor };
  },

  'broadcasts.preview': searchHandler(
    async ({ service, account, params, now }) => await previewBroadcast(service, account, params.id, now),
    async (_, preview) => ({ preview }),
  ),

  'broadcasts.update': preparedHandler(
    async ({ service, account, params, body }) => {
      checkNotEmpty(body);
      if (typeof body.body === 'string' && typeof body.template_id === 'string') throw oneContent();
      const broadcast = await service.store.read((db) => broadcasts.require(db, account.id, params.id));
      const wanted = { ...broadcast, ...readFields(body) };
      checkContent(wanted);
      await requireInSteps(service, account.id, body.contact_ids ?? []);
      return await countAudience(service, account.id, wanted);
    },
    async ({ db, account, params, body, now }, total) => {
      const broadcast = await broadcasts.require(db, account.id, params.id);
      const change = readFields(body);
      checkContent({ ...broadcast, ...change });
      await checkReferences(db, account.id, body);
      if (broadcast.status !== 'Draft') throw new ApiError(409, `The broadcast is ${broadcast.status}: only a Draft can be changed`);
      return { broadcast: broadcastRecord(await broadcasts.setColumns(db, broadcast, { ...change, total, updated_at: now })) };
    },
  ),

  'broadcasts.delete': async ({ db, account, params, now }) => {
    const broadcast = await broadcasts.require(db, account.id, params.id);
    if (broadcast.status === 'Sending') throw new ApiError(409, 'The broadcast is Sending: pause it first');
    await dropAudience(db, broadcast.id);
    await deleteWithDependents(db, broadcasts, recipients, account.id, broadcast.id, now);
    return {};
  },

  'broadcasts.submit': preparedHandler(
    async ({ service, account, params }) => {
      const broadcast = await service.store.read((db) => broadcasts.require(db, account.id, params.id));
      return await countAudience(service, account.id, broadcast);
    },
    async (context, total) => ({ broadcast: broadcastRecord(await takeStep(context, 'submit', total)) }),
  ),

  'broadcasts.approve': ownTransactionsHandler(async (context) => ({ broadcast: broadcastRecord(await approve(context)) })),

  'broadcasts.pause': (context) => answerStep(context, 'pause'),
  'broadcasts.resume': (context) => answerStep(context, 'resume'),
  'broadcasts.cancel': (context) => answerStep(context, 'cancel'),
};
