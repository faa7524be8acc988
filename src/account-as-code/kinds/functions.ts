import * as z from 'zod';
import { createFunction, deleteFunction, getFunction, listFunctions, updateFunction } from '../../contract/areas/functions/endpoints.ts';
import type { Kind } from '../kind.ts';
import { headersInFiles, headersOf, lossOfHeaders, missingHeaders, sentHeaders, sentToNewOrigin } from './headers.ts';
import { fieldsOfRow } from './rows.ts';
import { once, receiverUrl, requestFields } from './schema.ts';

const requested = once(() => requestFields(updateFunction, ['url', 'headers']));

/** Custom functions. Their signing secrets are data. */
export const functions: Kind = {
  name: 'functions',
  noun: 'function',
  file: 'functions.yaml',
  schema: () =>
    z.strictObject({
      ...requested(),
      url: receiverUrl().optional().describe('the address that is called; must be https except in a sandbox'),
      headers: headersInFiles(),
    }),
  endpoints: [listFunctions, createFunction, getFunction, updateFunction, deleteFunction],
  identity: { key: ['name'] },
  reading: {
    list: (client) => client.all(listFunctions, {}),
    get: async (client, id) => (await client.call(getFunction, { params: { id } })).custom_function,
    isServedBySomeOnly: true,
    fields: (row) => [{ ...fieldsOfRow(row, [...Object.keys(requested()), 'url']), headers: headersOf(row) }],
    addresses: ['url'],
    hidden: ['headers'],
  },
  writing: {
    step: 1,
    required: () => ['url'],
    create: async ({ client, fields }) => {
      const body = { ...fields, ...sentHeaders(fields) } as { name: string; url: string };
      return { id: (await client.call(createFunction, { body })).custom_function.id };
    },
    update: async ({ client, fields, live }) => {
      await client.call(updateFunction, { params: { id: live.id }, body: { ...fields, ...sentHeaders(fields, live.fields) } });
      return undefined;
    },
    writesAgain: sentToNewOrigin,
    remove: async ({ client, live: { id } }) => {
      await client.call(deleteFunction, { params: { id } });
    },
    refuses: missingHeaders,
  },
  loss: lossOfHeaders,
};
