import { checkNotEmpty } from '../../errors.ts';
import { type AreaHandlers, ownTransactionsHandler, preparedHandler } from '../../http/handler.ts';
import { deleteRecord } from '../../http/record-handlers.ts';
import { newSecret } from '../../identity/secrets.ts';
import { checkAddress } from '../../network/address-rules.ts';
import { newId } from '../../store/ids.ts';
import { requireAgent } from '../agents/records.ts';
import { attach, attachedPage, detach } from './attached.ts';
import { argumentsFailure, callFunction } from './call.ts';
import { changedHeaders, newHeaders } from './headers.ts';
import { checkNameFree } from './names.ts';
import { outcomeRecord, timed } from './outcome.ts';
import { functionRecord, functionsOfAgents } from './records.ts';
import { customFunctions } from './table.ts';

const names = { table: 'custom_functions', what: 'custom function' } as const;

/** The handlers of the area. */
export const functionHandlers: AreaHandlers<'functions'> = {
  'functions.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, limit) => customFunctions.list(db, account.id, before, limit));
    return { custom_functions: rows.map(functionRecord), next_cursor };
  },

  'functions.create': preparedHandler(
    ({ body, service }) => checkAddress(body.url, 'url', service.outbound),
    async ({ db, account, body, now }) => {
      const fields = { ...body, headers: newHeaders(body.url, body.headers) };
      await checkNameFree(db, names, account.id, body.name, null);
      return { custom_function: functionRecord(await customFunctions.create(db, account.id, fields, now)) };
    },
  ),

  'functions.get': async ({ db, account, params }) => ({
    custom_function: functionRecord(await customFunctions.require(db, account.id, params.id)),
  }),

  'functions.update': preparedHandler(
    ({ body, service }) => checkAddress(body.url, 'url', service.outbound),
    async ({ db, account, params, body, now }) => {
      checkNotEmpty(body);
      const stored = await customFunctions.require(db, account.id, params.id);
      const change = { ...body, headers: changedHeaders(stored, body) };
      await checkNameFree(db, names, account.id, body.name, stored.id);
      return { custom_function: functionRecord(await customFunctions.change(db, account.id, stored.id, change, now)) };
    },
  ),

  'functions.delete': deleteRecord(customFunctions),

  'functions.rotateSecret': async ({ db, account, params, now }) => {
    const secret = newSecret('whsec_');
    await customFunctions.change(db, account.id, params.id, { signing_secret: secret }, now);
    return { signing_secret: secret };
  },

  'functions.removeSecret': async ({ db, account, params, now }) => {
    await customFunctions.change(db, account.id, params.id, { signing_secret: null }, now);
    return {};
  },

  // A transaction must not wait for the network.
  'functions.test': ownTransactionsHandler(async ({ service, account: { id, name, email }, params, body, now }) => {
    const called = await service.store.read((db) => customFunctions.require(db, id, params.id));
    const { arguments: given = {} } = body;
    const call = { id: newId('call'), arguments: given, user: { id, name, email }, conversation: null, now };
    let status: number | null = null;
    const outcome = await timed(async () => {
      const wrong = argumentsFailure(called.parameters, given);
      if (wrong) return wrong;
      const answered = await callFunction(service.outbound, called, call);
      status = answered.status;
      return answered;
    });
    return { ...outcomeRecord(outcome), status_code: status };
  }),

  'functions.ofAgent': async (context) => {
    const { db, account, params } = context;
    await requireAgent(db, account.id, params.agentId);
    const { rows, next_cursor } = await attachedPage(context, functionsOfAgents, params.agentId);
    return { custom_functions: rows.map(functionRecord), next_cursor };
  },

  'functions.attach': async ({ db, account, params, body }) => {
    await requireAgent(db, account.id, params.agentId);
    const ids = await attach(db, functionsOfAgents, account.id, params.agentId, body.custom_function_ids);
    return { agent_id: params.agentId, custom_function_ids: ids };
  },

  'functions.detach': async ({ db, account, params }) => {
    await requireAgent(db, account.id, params.agentId);
    await detach(db, functionsOfAgents, account.id, params.agentId, params.functionId);
    return {};
  },
};
