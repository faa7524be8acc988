import { expect, it } from 'vitest';
import { toJSONSchema } from 'zod';
import { answerSchema, type Endpoint } from '../../src/contract/endpoint.ts';
import { allEndpoints } from '../../src/contract/endpoints.ts';
import { eventNames } from '../../src/contract/areas/webhooks/event-names.ts';
import { channelNames } from '../../src/contract/areas/channels/names.ts';
import { planIds } from '../../src/contract/plans.ts';
import { limits } from '../../src/contract/limits.ts';

/** The entries that a request sends, which its body limits. */
const asSent = 'as many as the request sends';

/** What bounds each collection in answers that is no page: a number of entries, or the reason why it needs none. */
const bounds: Record<string, number | string> = {
  // Accounts, keys and the team.
  api_keys: limits.scopedKeysListed,
  'scopes.tags': 'the sections',
  'scopes.sub_account_ids': 1_000,
  'plan.ai_model_tiers': 'the tiers',
  members: limits.members,
  accounts: limits.memberships,
  'member.permissions': 'the permissions',
  'snapshot.counts': 'the kinds',
  'account.needs_attention': limits.snapshotAttention,
  'action.variables': 'within the size of a request',
  'chat_export.contact_ids': 500,
  'pipeline.stages': limits.pipelineStages,
  // Billing, brands, own numbers.
  plans: planIds.length,
  'storefront.packages': 12,
  'phone_number.channels': channelNames.length,
  'phone_number.default_agents': channelNames.length,
  // Contacts and messages.
  'trace.tool_calls': 'those of an answer, at most 1 MiB of a model',
  tool_calls: 'those of an answer, at most 1 MiB of a model',
  'contact.tags': limits.contactTags,
  'contact.list_ids': limits.contactLists,
  contact_ids: limits.importRows,
  skipped: limits.importRows,
  'broadcast.contact_ids': limits.shownContactIds,
  'broadcast.list_ids': 1_000,
  'preview.unreachable': 'the codes of broadcasts',
  // Agents and routing.
  agents: 'as many as the plan allows, 512 KiB each',
  'agent.tags': limits.taggingRules,
  'agent.event_ids': 100,
  'agent.follow_up_config': 'within the size of an agent',
  'agent.draft': 'within the size of an agent',
  'agent.previous': 'within the size of an agent',
  'agent.faq_refs': limits.shownRefs,
  'agent.kb_source_refs': limits.shownRefs,
  published_keys: 'the fields of an agent',
  'agent.custom_function_ids': 20,
  'agent.mcp_server_ids': 5,
  custom_function_ids: 20,
  mcp_server_ids: 5,
  'custom_function.parameters': '16 KiB',
  'custom_function.headers': 20,
  'mcp_server.headers': 20,
  'mcp_server.allowed_tools': 200,
  'mcp_server.tools': 200,
  'tool.input_schema': 'all tools of a server have at most 4 MiB',
  kb_source_ids: asSent,
  disabled_entry_point_ids: limits.entryPoints,
  entry_points: limits.entryPoints,
  'entry_point.channels': channelNames.length,
  'entry_point.match_config': 'keywords, posts and texts of all entry points have limits',
  released_channels: channelNames.length,
  // Knowledge.
  'faq.tags': limits.faqTags,
  'faq.campaign_ids': limits.faqCampaigns,
  faq_ids: limits.faqBulk,
  'source.agent_ids': 'as many as the plan allows',
  'kb_group.agent_ids': 'as many as the plan allows',
  'kb_group.campaign_ids': limits.groupCampaigns,
  'gap.agent_ids': 'as many as the plan allows',
  queued_source_ids: asSent,
  pages: limits.discoveredPages,
  new_pages: limits.discoveredPages,
  estimates: asSent,
  // Templates.
  data: 'templates of an account, calendars of a fixture, or slots of at most 400 days',
  'template.variables': limits.templateVariables,
  templates: limits.providerTemplates,
  'template.components': limits.templateComponents,
  // Appointments.
  'data.available_slots': 'slots of one day',
  'event.rooms': 200,
  'booking_page.ask': 3,
  // Widgets.
  'widget.allowed_origins': 50,
  'widget.ask_before': 3,
  // Webhooks.
  webhooks: limits.webhooks,
  'webhook.subscribed_to': eventNames.length,
  'webhook.subscribed_to_tags': limits.webhookTags,
  events: eventNames.length,
  // Analytics: days of a period, and the largest of what can be many.
  by_date: 'days of the period',
  by_reason: 'the reasons',
  by_reason_cost: 'the reasons',
  by_campaign: limits.summedCampaigns + 2,
  days: 'days of the period',
  'day.by_provider': 'the providers',
  labels: 'steps of the period',
  group_by: 'the dimensions',
  metrics: 'the metrics',
  series: 'the limit of the request',
  'series.metrics': 'the metrics',
  'metrics.entry': 'steps of the period',
  'other_bucket.metrics': 'the metrics',
  by_tag: 'the tags with the most conversations',
  'by_tag.counts': 'days of the period',
  'heatmap.buckets': 7 * 24,
  'data.topCampaigns': 'the largest ones',
  'data.channelVolume': channelNames.length,
  'data.activityFeed': 'the latest ones',
  'data.numberStats': limits.channels,
  'channelDailySeries.labels': 'days of the period',
  'channelDailySeries.series': channelNames.length,
  'series.sent': 'days of the period',
  'series.received': 'days of the period',
  'metricDailyBreakdown.labels': 'steps of the period',
  ...Object.fromEntries(
    ['sent', 'delivered', 'read', 'replied', 'booked', 'contact_created', 'credits_spent'].map((metric) => [
      `metricDailyBreakdown.${metric}`,
      'steps of the period',
    ]),
  ),
  'data.contactsByCountry': 'the countries',
  'data.insights': 'the kinds of insights',
  items: 100,
  // The sandbox, which only its operator asks.
  faqs: 'the best matches',
  'calendar.events': 'a fixture of at most 1 MiB',
  sections: 'those of a document of at most 16 MiB of text',
  'section.faq_ids': limits.sourceFaqs,
  left_out: 'a fixture of at most 1 MiB',
  'decision.steps': 'the steps of the routing order',
  'delivery.attempts': limits.shownAttempts,
  'attempt.request_headers': 'the headers of a delivery',
  faults: limits.faults,
  fired: 'the jobs that ran, of which there may be any number',
  hold: 'the kinds of jobs',
  waiting: 'the kinds of jobs',
  keys: 'the keys of the store',
};

interface Schema {
  readonly type?: string;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
}

const singular = (name: string) => (name === 'series' ? name : name.replace(/ies$/, 'y').replace(/s$/, ''));

/** The collections in a schema that have no limit there, each as `record.field`. */
function collectionsIn(schema: Schema, record: string, field: string): string[] {
  const name = record === '' ? field : `${record}.${field}`;
  const inner = singular(field);
  const found: string[] = [];
  if (schema.type === 'array') {
    if (schema.maxItems === undefined) found.push(name);
    found.push(...collectionsIn(schema.items ?? {}, '', inner).map((each) => (each === inner ? name : each)));
  }
  if (typeof schema.additionalProperties === 'object') {
    found.push(name);
    found.push(...collectionsIn(schema.additionalProperties, field, 'entry'));
  }
  for (const [key, value] of Object.entries(schema.properties ?? {}))
    found.push(...collectionsIn(value, schema.type === 'array' ? inner : field, key));
  for (const value of schema.anyOf ?? []) found.push(...collectionsIn(value, record, field));
  return found;
}

function collectionsOf(spec: Endpoint): string[] {
  const { properties = {} } = toJSONSchema(answerSchema(spec), { unrepresentable: 'any', io: 'output' }) as Schema;
  return Object.entries(properties).flatMap(([field, schema]) =>
    field === spec.rows ? collectionsIn(schema.items ?? {}, '', singular(field)) : collectionsIn(schema, '', field),
  );
}

// A new list in an answer says here what bounds it, and whoever adds it has to think of one.
it('every collection in an answer is a page, or has a bound', () => {
  const found = new Set(allEndpoints.filter(({ name }) => name !== 'openapi.get').flatMap(collectionsOf));
  expect([...found].filter((each) => !(each in bounds)).sort()).toEqual([]);
  expect(
    Object.keys(bounds)
      .filter((each) => !found.has(each))
      .sort(),
  ).toEqual([]);
});
