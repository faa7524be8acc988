import { noParameters, type Schema } from '../../../contract/areas/functions/parameters.ts';
import type { functionMethods } from '../../../contract/areas/functions/endpoints.ts';
import { accountTable } from '../../store/account-table.ts';
import { boolean, integer, json, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';
import { headersColumn } from './headers.ts';

export const customFunctions = accountTable(
  'custom_functions',
  { prefix: 'fun', record: 'custom_function' },
  {
    name: text(),
    description: text().nullable(),
    parameters: json<Schema>().default(noParameters),
    url: text(),
    method: text<(typeof functionMethods)[number]>().default('POST'),
    headers: headersColumn().default({}),
    timeout_seconds: integer().default(10),
    enabled: boolean().default(true),
    signing_secret: text().nullable().internal(),
    /** The calls in conversations that failed since the last one that succeeded. */
    failures: integer().default(0).internal(),
  },
);

export type CustomFunction = Row<typeof customFunctions>;

export const agentFunctions = table('agent_functions', { agent_id: text(), function_id: text() });

declare module '../../store/database.ts' {
  interface Database {
    custom_functions: StoredRow<typeof customFunctions>;
    agent_functions: StoredRow<typeof agentFunctions>;
  }
}
