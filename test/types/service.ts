// Mistakes that must be type errors. `tsc` fails if one of them is accepted. Nothing here runs.
import { endpoint } from '../../src/contract/endpoint.ts';
import { linkHandlers } from '../../src/service/areas/links/handlers.ts';
import { links } from '../../src/service/areas/links/table.ts';
import { tasks } from '../../src/service/areas/tasks/table.ts';
import type { AreaHandlers } from '../../src/service/http/handler.ts';
import { getRecord, listRecords } from '../../src/service/http/record-handlers.ts';
import type { JobDefinitions } from '../../src/service/jobs/job.ts';
import { cancelJobs, enqueue } from '../../src/service/jobs/queue.ts';
import type { Db } from '../../src/service/store/database.ts';
import { prepared } from '../../src/service/store/prepared.ts';

declare const db: Db;

// The section, permission and feature of an endpoint must exist.
endpoint({
  name: 'things.list',
  method: 'GET',
  path: '/things',
  // @ts-expect-error -- no such section
  section: 'Things',
  access: 'account',
  summary: 'List the things',
  responses: {},
});

export const handlers: Partial<AreaHandlers<'links' | 'tags' | 'sandbox'>> = {
  // A public handler has no transaction, no account and no body.
  // @ts-expect-error -- `db` is not part of its context
  'links.follow': async ({ db: transaction }) => ({ transaction }),
  // A handler of the sandbox opens its own transactions.
  // @ts-expect-error -- `account` is not part of its context
  'sandbox.reset': async ({ account }) => ({ account_id: account.id, api_key: '' }),
  // An answer has the fields of the contract.
  // @ts-expect-error -- `short_link` is missing
  'links.create': async () => ({ link: {} }),
  // A body has the fields of the contract.
  // @ts-expect-error -- the field is called `name`
  'tags.create': async ({ body }) => ({ tag: body.nmae }),
};

export const shared: Partial<AreaHandlers<'links' | 'tasks'>> = {
  // @ts-expect-error -- the rows are called `short_links`
  'links.list': listRecords(links, 'links'),
  // @ts-expect-error -- records of another table
  'tasks.get': getRecord(links, 'task'),
};

export const unknown: Partial<AreaHandlers<'links'>> = {
  // @ts-expect-error -- there is no such endpoint
  'links.rename': async () => ({}),
};

// @ts-expect-error -- no endpoint begins with `things`
export const noArea: AreaHandlers<'things'> = {};

// Every endpoint of an area needs a handler.
// @ts-expect-error -- the other endpoints are missing
export const incomplete: AreaHandlers<'links'> = { 'links.list': linkHandlers['links.list'] };

export const queries = [
  // Tables and columns must exist in the definitions.
  // @ts-expect-error -- there is no such table
  () => db.selectFrom('short_link'),
  // @ts-expect-error -- there is no such column
  () => db.selectFrom('short_links').select('clickz'),
  // @ts-expect-error -- a column of another type
  () => db.updateTable('short_links').set({ clicks: 'many' }),
  // @ts-expect-error -- `url` is missing
  () => links.create(db, 'acc_1', { slug: 'spring' }, 0),
  // @ts-expect-error -- a misspelled column
  () => links.create(db, 'acc_1', { slug: 'spring', ulr: 'https://shop.example/' }, 0),
  // @ts-expect-error -- a misspelled column
  () => links.change(db, 'acc_1', 'lnk_1', { cliks: 1 }, 0),
  // @ts-expect-error -- not one of the words of the column
  () => tasks.change(db, 'acc_1', 'tsk_1', { status: 'done' }, 0),
  // @ts-expect-error -- the record has no such field
  async () => (await links.require(db, 'acc_1', 'lnk_1')).target,
  // @ts-expect-error -- an internal column is not shown
  async () => links.show(await links.require(db, 'acc_1', 'lnk_1')).account_id,
  // @ts-expect-error -- a field of a request that fills no column
  () => tasks.read({ title: 'Call back', due: 'tomorrow' }),
  // @ts-expect-error -- a parameter that is not declared
  () => prepared<{ id: string }, { id: string }>((on, $) => on.selectFrom('tags').select('id').where('id', '=', $.tag)),
  // @ts-expect-error -- a parameter that is not given
  () => prepared<{ id: string }, { id: string }>((on, $) => on.selectFrom('tags').select('id').where('id', '=', $.id))(db, {}),
];

const job = { accountId: 'acc_1', dueAt: 0 };

export const queued = [
  // @ts-expect-error -- there is no such kind
  () => enqueue(db, { ...job, kind: 'session_start', payload: { session: 'ses_1' } }),
  // @ts-expect-error -- the payload of another kind
  () => enqueue(db, { ...job, kind: 'session_end', payload: { delivery: 'dlv_1' } }),
  // @ts-expect-error -- there is no such kind
  () => cancelJobs(db, 'acc_1', ['charge'], ['cnn_1']),
];

// Every kind of job needs a definition for its own payload.
// @ts-expect-error -- the other kinds are missing
export const definitions: JobDefinitions = { session_end: { run: async () => undefined } };

export const wrongPayload: Partial<JobDefinitions> = {
  // @ts-expect-error -- the payload has no such field
  session_end: { run: async ({ payload }) => void payload.delivery },
};
