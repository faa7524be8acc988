import type { updateBroadcast } from '../../../contract/areas/broadcasts/endpoints.ts';
import type { Body, Endpoint } from '../../../contract/endpoint.ts';
import { ApiError, checkNotEmpty } from '../../errors.ts';
import type { AccountContext, AreaHandlers } from '../../http/handler.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { withJournal } from '../activity/journal.ts';
import { requireAgent } from '../agents/records.ts';
import { requireContacts } from '../contacts/records.ts';
import { requireLists } from '../lists/records.ts';
import { requireTemplate } from '../templates/records.ts';
import { countAudience } from './recipients.ts';
import { broadcastRecord, changeBroadcast, readFields } from './records.ts';
import { type BroadcastStep, nextStatus } from './rules.ts';
import { beginBroadcast, sendJob } from './sending.ts';
import { type Broadcast, broadcasts } from './table.ts';

type StepContext = Pick<AccountContext<Endpoint>, 'db' | 'account' | 'now'> & { readonly params: { readonly id: string } };

/** @throws ApiError 404 when the account does not have a record that the fields name */
async function checkReferences(db: Db, accountId: string, fields: Body<typeof updateBroadcast>): Promise<void> {
  if (fields.agent_id) await requireAgent(db, accountId, fields.agent_id);
  if (fields.template_id) await requireTemplate(db, accountId, fields.template_id);
  if (fields.contact_ids) await requireContacts(db, accountId, fields.contact_ids);
  await requireLists(db, accountId, fields.list_ids ?? []);
}

/** @throws ApiError 400 unless the broadcast has recipients, and either a text or a template */
function checkContent(content: Pick<Broadcast, 'body' | 'template_id' | 'contact_ids' | 'list_ids'>): void {
  if ((content.body === null) === (content.template_id === null)) throw new ApiError(400, "body: give either 'body' or 'template_id'");
  if (content.contact_ids.length === 0 && content.list_ids.length === 0)
    throw new ApiError(400, "contact_ids: give 'contact_ids' or 'list_ids'");
}

/** Moves a broadcast to its next status. @throws ApiError 409 when its status does not allow the step */
async function takeStep({ db, account, params, now }: StepContext, step: BroadcastStep) {
  const broadcast = await broadcasts.require(db, account.id, params.id);
  const isLater = broadcast.scheduled_at !== null && broadcast.scheduled_at > now;
  const status = nextStatus(broadcast.status, step, isLater);
  if (status === undefined) throw new ApiError(409, `The broadcast is ${broadcast.status}: it cannot be ${past[step]}`);
  if (step === 'approve' && status === 'Sending') {
    const begun = await withJournal(db, account, now, (journal) => beginBroadcast(db, journal, broadcast));
    return { broadcast: broadcastRecord(begun) };
  }
  const total = step === 'submit' ? await countAudience(db, broadcast) : broadcast.total;
  const changed = await changeBroadcast(db, broadcast, { status, total, run: broadcast.run + 1, updated_at: now });
  if (status === 'Scheduled') await enqueue(db, sendJob(changed, broadcast.scheduled_at ?? now));
  if (status === 'Sending') await enqueue(db, sendJob(changed, now));
  return { broadcast: broadcastRecord(changed) };
}

const past: Record<BroadcastStep, string> = {
  submit: 'submitted',
  approve: 'approved',
  pause: 'paused',
  resume: 'resumed',
  cancel: 'cancelled',
};

export const broadcastHandlers: AreaHandlers<'broadcasts'> = {
  'broadcasts.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, limit) => broadcasts.list(db, account.id, before, limit));
    return { broadcasts: rows.map(broadcastRecord), next_cursor };
  },

  'broadcasts.create': async ({ db, account, body, now }) => {
    const fields = { ...readFields(body), name: body.name, channel: body.channel };
    const content = { body: null, template_id: null, contact_ids: [], list_ids: [], ...fields };
    checkContent(content);
    await checkReferences(db, account.id, body);
    const total = await countAudience(db, content);
    return { broadcast: broadcastRecord(await broadcasts.create(db, account.id, { ...fields, total }, now)) };
  },

  'broadcasts.get': async ({ db, account, params }) => ({
    broadcast: broadcastRecord(await broadcasts.require(db, account.id, params.id)),
  }),

  'broadcasts.update': async ({ db, account, params, body, now }) => {
    checkNotEmpty(body);
    const broadcast = await broadcasts.require(db, account.id, params.id);
    const change = readFields(body);
    const wanted = { ...broadcast, ...change };
    checkContent(wanted);
    await checkReferences(db, account.id, body);
    if (broadcast.status !== 'Draft') throw new ApiError(409, `The broadcast is ${broadcast.status}: only a Draft can be changed`);
    const total = await countAudience(db, wanted);
    return { broadcast: broadcastRecord(await changeBroadcast(db, broadcast, { ...change, total, updated_at: now })) };
  },

  'broadcasts.delete': async ({ db, account, params }) => {
    const broadcast = await broadcasts.require(db, account.id, params.id);
    if (broadcast.status === 'Sending') throw new ApiError(409, 'The broadcast is Sending: pause it first');
    await broadcasts.delete(db, account.id, broadcast.id);
    return {};
  },

  'broadcasts.submit': (context) => takeStep(context, 'submit'),
  'broadcasts.approve': (context) => takeStep(context, 'approve'),
  'broadcasts.pause': (context) => takeStep(context, 'pause'),
  'broadcasts.resume': (context) => takeStep(context, 'resume'),
  'broadcasts.cancel': (context) => takeStep(context, 'cancel'),
};
