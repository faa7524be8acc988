import type { AgentRecord, bookingProviders, modelSpeeds, TaggingRule } from '../../../contract/areas/agents/agent.ts';
import type { AgentAvailability } from '../../../contract/areas/agents/availability.ts';
import type { modelTiers } from '../../../contract/plan.ts';
import { accountTable } from '../../store/account-table.ts';
import { boolean, integer, json, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

type Run<Name extends 'optimize_run' | 'tag_generation'> = NonNullable<AgentRecord[Name]>;

export const agents = accountTable(
  'agents',
  { prefix: 'agt', record: 'agent' },
  {
    name: text(),
    active: boolean().default(true),
    language: text().nullable(),
    ai_model_tier: text<(typeof modelTiers)[number]>().nullable(),
    ai_speed: text<(typeof modelSpeeds)[number]>().nullable(),
    ai_transparency: boolean().nullable(),
    max_messages: integer().nullable(),
    timezone: text().default('UTC'),
    availability: json<AgentAvailability>().default({}),
    enable_bookings: boolean().default(false),
    booking_provider: text<(typeof bookingProviders)[number]>().default('default'),
    event_id: text().nullable(),
    event_ids: json<readonly string[]>().default([]),
    enable_follow_ups: boolean().default(false),
    optimize_run: json<Run<'optimize_run'>>().nullable(),
    tag_generation: json<Run<'tag_generation'>>().nullable(),
    alert_human_when: text().nullable(),
    tags: json<readonly TaggingRule[]>().default([]),
    goal: text().nullable(),
    personality: text().nullable(),
    rules: text().nullable(),
    instructions: text().nullable(),
    follow_up_config: json<Readonly<Record<string, unknown>>>().nullable(),
    /** A partial configuration that is waiting for review. */
    draft: json<Readonly<Record<string, unknown>>>().nullable(),
    /** The fields that the last published draft replaced, as they were. */
    previous: json<Readonly<Record<string, unknown>>>().nullable(),
  },
);

export type Agent = Row<typeof agents>;

/** The sources that are attached to agents. */
export const agentSources = table('agent_sources', { agent_id: text(), source_id: text() });

/** The knowledge groups that are applied to agents. */
export const agentGroups = table('agent_groups', { agent_id: text(), group_id: text() });

declare module '../../store/database.ts' {
  interface Database {
    agents: StoredRow<typeof agents>;
    agent_sources: StoredRow<typeof agentSources>;
    agent_groups: StoredRow<typeof agentGroups>;
  }
}
