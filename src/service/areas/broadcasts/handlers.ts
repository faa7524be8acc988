import type { Body, Endpoint } from '../../../contract/endpoint.ts';
import type { BroadcastStatus, updateBroadcast } from '../../../contract/areas/broadcasts/endpoints.ts';
import { requireAgent } from '../agents/records.ts';
import { withJournal } from '../activity/journal.ts';
import { requireContacts } from '../contacts/records.ts';
import type { AreaHandlers, Context } from '../../http/context.ts';
import { ApiError } from '../../errors.ts';
import { enqueue } from '../../jobs/jobs.ts';
import type { Db } from '../../store/store.ts';
import { requireLists } from '../lists/records.ts';
import { requireTemplate } from '../templates/records.ts';
import { countAudience } from './recipients.ts';
import { audienceOf, broadcastRecord, broadcasts, changeBroadcast, columnsOf, draftFields } from './records.ts';
import { type BroadcastStep, nextStatus } from './rules.ts';
import { begin, sendJob } from './sending.ts';

type StepContext = Pick<Context<Endpoint>, 'db' | 'account' | 'now'> & { readonly params: { readonly id: string } };

/** @throws ApiError 404 when a record that is named is not on the account */
async function checkReferences(db: Db, accountId: string, fields: Body<typeof updateBroadcast>): Promise<void> {
  if (fields.agent_id) await requireAgent(db, accountId, fields.agent_id);
  if (fields.template_id) await requireTemplate(db, accountId, fields.template_id);
  if (fields.contact_ids) await requireContacts(db, accountId, fields.contact_ids);
  await requireLists(db, accountId, fields.list_ids ?? []);
}

/** @throws ApiError 400 unless there is one thing to send, and somebody to send it to */
function checkContent({
  body,
  template_id: template,
  contact_ids: contacts,
  list_ids: lists,
}: { [Column in 'body' | 'template_id']: string | null } & { [Column in 'contact_ids' | 'list_ids']: string }): void {
  if ((body === null) === (template === null)) throw new ApiError(400, "body: give either 'body' or 'template_id'");
  if (contacts === '[]' && lists === '[]') throw new ApiError(400, "contact_ids: give 'contact_ids' or 'list_ids'");
}

/** Takes a step in the life of a broadcast. @throws ApiError 409 when it cannot be taken now */
async function take({ db, account, params, now }: StepContext, step: BroadcastStep) {
  const broadcast = await broadcasts.require(db, account.id, params.id);
  const isLater = broadcast.scheduled_at !== null && broadcast.scheduled_at > now;
  const status = nextStatus(broadcast.status as BroadcastStatus, step, isLater);
  if (status === null) throw new ApiError(409, `The broadcast is ${broadcast.status}: it cannot be ${past[step]}`);
  if (step === 'approve' && status === 'Sending') {
    const begun = await withJournal(db, account, now, (journal) => begin(db, journal, broadcast));
    return { broadcast: broadcastRecord(begun) };
  }
  const total = step === 'submit' ? await countAudience(db, audienceOf(broadcast)) : broadcast.total;
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
    const { rows, next_cursor } = await page((before, take) => broadcasts.list(db, account.id, before, take));
    return { broadcasts: rows.map(broadcastRecord), next_cursor };
  },

  'broadcasts.create': async ({ db, account, body, now }) => {
    const draft = draftFields(body.name, body.channel, columnsOf(body));
    checkContent(draft);
    await checkReferences(db, account.id, body);
    const total = await countAudience(db, audienceOf(draft));
    return { broadcast: broadcastRecord(await broadcasts.insert(db, account.id, { ...draft, total }, now)) };
  },

  'broadcasts.get': async ({ db, account, params }) => ({
    broadcast: broadcastRecord(await broadcasts.require(db, account.id, params.id)),
  }),

  'broadcasts.update': async ({ db, account, params, body, now }) => {
    if (Object.keys(body).length === 0) throw new ApiError(400, 'No fields to update');
    const broadcast = await broadcasts.require(db, account.id, params.id);
    const wanted = { ...broadcast, ...columnsOf(body) };
    checkContent(wanted);
    await checkReferences(db, account.id, body);
    if (broadcast.status !== 'Draft') throw new ApiError(409, `The broadcast is ${broadcast.status}: only a Draft can be changed`);
    const total = await countAudience(db, audienceOf(wanted));
    return { broadcast: broadcastRecord(await changeBroadcast(db, broadcast, { ...columnsOf(body), total, updated_at: now })) };
  },

  'broadcasts.delete': async ({ db, account, params }) => {
    const broadcast = await broadcasts.require(db, account.id, params.id);
    if (broadcast.status === 'Sending') throw new ApiError(409, 'The broadcast is Sending: pause it first');
    await broadcasts.remove(db, account.id, broadcast.id);
    return {};
  },

  'broadcasts.submit': (context) => take(context, 'submit'),
  'broadcasts.approve': (context) => take(context, 'approve'),
  'broadcasts.pause': (context) => take(context, 'pause'),
  'broadcasts.resume': (context) => take(context, 'resume'),
  'broadcasts.cancel': (context) => take(context, 'cancel'),
};
