import type { EntityType } from '../../contract/areas/notifications/entity-types.ts';
import { readColumn } from '../output/paths.ts';
import type { ResultRow } from '../output/result.ts';
import type { Lookup } from '../verb/lookup.ts';
import { agentLookup } from './agents.ts';
import { broadcastLookup } from './broadcasts.ts';
import { functionLookup } from './functions.ts';
import type { NamedColumn } from './named.ts';
import { readRecords } from './records.ts';
import { scheduleLookup } from './schedules.ts';
import { sourceLookup } from './sources.ts';
import { templateLookup } from './templates.ts';
import { toolServerLookup } from './tool-servers.ts';
import { webhookLookup } from './webhooks.ts';
import { widgetLookup } from './widgets.ts';

/** How the records of a type are read that have names, or addresses. The others are shown by their ids. */
const lookups: Partial<Readonly<Record<EntityType, Lookup>>> = {
  webhook: webhookLookup,
  broadcast: broadcastLookup,
  kb_source: sourceLookup,
  template: templateLookup,
  agent: agentLookup,
  custom_function: functionLookup,
  mcp_server: toolServerLookup,
  scheduled_task: scheduleLookup,
  widget: widgetLookup,
};

/** What a notification or an error is about, by its name. */
export const entityField: NamedColumn = {
  field: 'about',
  id: 'entity.id',
  add: async ({ names }, rows) => {
    const byType = Map.groupBy(rows, (row) => readColumn(row, 'entity.type') as EntityType);
    const shown = new Map<ResultRow, unknown>();
    for (const [type, ofType] of byType) {
      const lookup = lookups[type];
      const idOf = (row: ResultRow) => (readColumn(row, 'entity.id') ?? null) as string | null;
      const records = lookup && (await readRecords(names, lookup, ofType.map(idOf)));
      for (const row of ofType) {
        const record = records?.get(idOf(row));
        shown.set(row, (record && lookup?.names(record).find((name) => name !== null)) ?? idOf(row));
      }
    }
    return rows.map((row) => ({ ...row, about: shown.get(row) ?? null }));
  },
};
