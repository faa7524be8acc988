import * as z from 'zod';
import type { Caller } from '../../contract/call.ts';
import { billingFields, getConfig, updateConfig } from '../../contract/areas/config/endpoints.ts';
import { initialConfig } from '../../contract/initial-config.ts';
import type { AnswerRow, Kind } from '../kind.ts';
import { isSame } from '../values.ts';
import { fieldsOfRow } from './rows.ts';
import { once, requestFields } from './schema.ts';

const fields = once(() => requestFields(updateConfig, billingFields));

/** The settings of the account, without those of billing. */
export const config: Kind = {
  name: 'config',
  noun: 'account',
  file: 'config.yaml',
  schema: () => z.strictObject(fields()),
  endpoints: [getConfig, updateConfig],
  identity: { key: [], title: () => 'config', isOnly: true, hasFixedName: true },
  reading: {
    list: async (client) => [await read(client)],
    listRequests: () => 1,
    get: read,
    isServedBySomeOnly: true,
    fields: (row) => [fieldsOfRow(row, Object.keys(fields()))],
    isInitial: (own) => isSame(own, initialConfig),
  },
  writing: {
    step: 1,
    create: never,
    update: async ({ client, fields: body }) => {
      await client.call(updateConfig, { body });
      return undefined;
    },
    remove: never,
  },
};

async function read(client: Caller): Promise<AnswerRow> {
  return { id: 'config', ...(await client.call(getConfig, {})).account_config };
}

async function never(): Promise<never> {
  throw new Error('Every account has its config');
}
