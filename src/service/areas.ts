import { accountHandlers } from './areas/accounts/handlers.ts';
import { trimmingLedger } from './areas/activity/trimming-ledger.ts';
import { agentHandlers } from './areas/agents/handlers.ts';
import { agentOptimize } from './areas/agent-runs/optimize.ts';
import { runFailpoints } from './areas/agent-runs/run.ts';
import { agentTags } from './areas/agent-runs/tags.ts';
import { analyticsHandlers } from './areas/analytics/handlers.ts';
import type { Writer } from './areas/answers/writer.ts';
import { appointmentHandlers } from './areas/appointments/handlers.ts';
import { calendarImport } from './areas/appointments/importing.ts';
import { calendarSync } from './areas/appointments/sync.ts';
import { broadcastHandlers } from './areas/broadcasts/handlers.ts';
import { broadcastFailpoints, broadcastSending } from './areas/broadcasts/sending.ts';
import { campaignHandlers } from './areas/campaigns/handlers.ts';
import { chargeChannel } from './areas/channels/charge.ts';
import { channelHandlers } from './areas/channels/handlers.ts';
import { contactHandlers } from './areas/contacts/handlers.ts';
import { listContactHandlers } from './areas/contacts/list-handlers.ts';
import { creditHandlers } from './areas/credits/handlers.ts';
import { faqDedupe } from './areas/faqs/dedupe.ts';
import { faqHandlers } from './areas/faqs/handlers.ts';
import { faqPreparation } from './areas/faqs/preparation.ts';
import { eventHandlers } from './areas/events/handlers.ts';
import { healthHandlers, openApiHandlers } from './areas/health/handlers.ts';
import { commentFailpoints, commentReply } from './areas/inbound/comment-reply.ts';
import { Crawling } from './areas/kb/crawling.ts';
import type { CrawlingOptions } from './areas/kb/crawling/crawler.ts';
import { kbDelete } from './areas/kb/deletion.ts';
import { faqGenerate } from './areas/kb/generate-job.ts';
import { kbHandlers } from './areas/kb/handlers.ts';
import { kbImport } from './areas/kb/import-job.ts';
import { kbRefresh } from './areas/kb/refresh-job.ts';
import { keyHandlers } from './areas/keys/handlers.ts';
import { linkHandlers } from './areas/links/handlers.ts';
import { listHandlers } from './areas/lists/handlers.ts';
import { messageHandlers } from './areas/messages/handlers.ts';
import { trimmingMessages } from './areas/messages/trimming.ts';
import { routingHandlers } from './areas/routing/handlers.ts';
import { RuleBooks } from './areas/routing/rule-books.ts';
import { sandboxHandlers } from './areas/sandbox/handlers.ts';
import { sessionEnd } from './areas/sessions/conclude.ts';
import { sessionHandlers } from './areas/sessions/handlers.ts';
import { trimmingSessions } from './areas/sessions/trimming.ts';
import { dailySummary } from './areas/summaries/jobs.ts';
import { tagHandlers } from './areas/tags/handlers.ts';
import { taskHandlers } from './areas/tasks/handlers.ts';
import { templateHandlers } from './areas/templates/handlers.ts';
import { providerTemplateHandlers } from './areas/templates/provider-handlers.ts';
import { templateReview } from './areas/templates/review.ts';
import { teamHandlers } from './areas/team/handlers.ts';
import { deliveryFailpoints, Deliveries, type DeliveryParts } from './areas/webhooks/deliveries.ts';
import { webhookDelivery } from './areas/webhooks/delivery-job.ts';
import { webhookHandlers } from './areas/webhooks/handlers.ts';
import { trimmingEvents } from './areas/webhooks/trimming.ts';
import { whoamiHandlers } from './areas/whoami/handlers.ts';
import { requestFailpoints, storeFailpoints } from './drills/failpoint.ts';
import type { Handlers } from './http/endpoint-group.ts';
import { trimmingGivenUpJobs } from './jobs/given-up.ts';
import type { JobDefinitions } from './jobs/job.ts';
import { type AccountRows, deletingAccounts } from './maintenance/deleting-accounts.ts';
import { maintenanceFailpoints } from './maintenance/maintenance.ts';
import type { Retention } from './maintenance/retention.ts';
import type { MaintenanceTask } from './maintenance/task.ts';
import { trimming } from './maintenance/trimming.ts';
import { initial } from './migrations/001-initial.ts';
import { healthMergesCampaignTags } from './migrations/002-health-merges-campaign-tags.ts';
import type { Migration } from './store/migration.ts';
import type { StepScheduler } from './store/step-scheduler.ts';

/** The migrations of the store, in order. A migration that has landed never changes: add new ones at the end. */
export const migrations: readonly Migration[] = [initial, healthMergesCampaignTags];

/** The names of all places at which a drill can kill the process. */
export const failpoints: readonly string[] = [
  ...storeFailpoints,
  ...requestFailpoints,
  ...maintenanceFailpoints,
  ...deliveryFailpoints,
  ...broadcastFailpoints,
  ...commentFailpoints,
  ...runFailpoints,
];

/** The FAQ index. Its rows belong to a campaign or to an account. */
const faqIndex: readonly AccountRows[] = [
  { table: 'faq_terms', key: ['scope', 'term', 'place', 'faq_seq'] },
  { table: 'faq_words', key: ['scope', 'term'] },
  { table: 'faq_spellings', key: ['scope', 'spelling', 'term'] },
];

/**
 * The tables that can have many rows of an account. Maintenance deletes the rows of a deleted account in this order. Jobs come
 * first, because the queue has to skip them until they are deleted.
 */
const rowsOfAccounts: readonly AccountRows[] = [
  { table: 'jobs' },
  { table: 'deliveries', dependents: [{ table: 'delivery_attempts', column: 'delivery_id' }] },
  { table: 'events' },
  { table: 'webhooks', dependents: [{ table: 'deliveries', column: 'webhook_id', isKept: true }] },
  {
    table: 'contacts',
    dependents: [
      { table: 'messages', column: 'contact_id' },
      { table: 'chat_sessions', column: 'contact_id' },
      { table: 'decisions', column: 'contact_id' },
      { table: 'contact_counts', column: 'contact_id', key: ['contact_id', 'hour', 'place'] },
    ],
  },
  { table: 'tags', dependents: [{ table: 'contact_tags', column: 'tag_id' }] },
  { table: 'lists', dependents: [{ table: 'list_contacts', column: 'list_id' }] },
  { table: 'broadcasts', dependents: [{ table: 'broadcast_recipients', column: 'broadcast_id' }] },
  { table: 'credit_ledger' },
  { table: 'daily_counts' },
  { table: 'hourly_counts' },
  { table: 'ledger_counts' },
  { table: 'ai_counts' },
  { table: 'country_counts' },
  { table: 'tasks' },
  {
    table: 'agents',
    dependents: [
      { table: 'agent_sources', column: 'agent_id' },
      { table: 'contacts', column: 'agent_id', isKept: true },
    ],
  },
  {
    table: 'kb_sources',
    dependents: [
      { table: 'agent_sources', column: 'source_id' },
      { table: 'faq_sources', column: 'source_id' },
    ],
  },
  { table: 'faq_checks' },
  { table: 'kb_refreshes' },
  { table: 'kb_import_sessions' },
  { table: 'entry_points' },
  {
    table: 'campaigns',
    dependents: [
      { table: 'faq_links', column: 'campaign_id' },
      { table: 'campaign_tags', column: 'campaign_id' },
      ...faqIndex.map((rows) => ({ ...rows, column: 'scope' })),
    ],
  },
  // The index of the FAQs of the account's sources.
  ...faqIndex.map((rows) => ({ ...rows, column: 'scope' })),
  { table: 'faqs' },
  { table: 'faq_search' },
  { table: 'ai_calls' },
  { table: 'templates' },
  { table: 'provider_templates' },
  { table: 'appointments' },
  { table: 'calendar_events' },
  { table: 'event_types', dependents: [{ table: 'appointments', column: 'event_id', isKept: true }] },
  { table: 'short_links' },
  { table: 'api_keys' },
  { table: 'uploads', atOnce: 1 },
];

/** The background maintenance tasks: long deletions, and trimming of expired records. */
export function maintenanceTasks(retention: Retention): MaintenanceTask[] {
  const { events, jobs, messages, sessions, ledger } = retention;
  return [
    deletingAccounts(rowsOfAccounts),
    ...(jobs === null ? [] : [trimmingGivenUpJobs(jobs)]),
    ...(events === null ? [] : [trimmingEvents(events)]),
    ...(messages === null ? [] : [trimmingMessages(messages), trimming({ table: 'decisions', time: 'created_at', keep: messages })]),
    ...(sessions === null ? [] : [trimmingSessions(sessions)]),
    ...(ledger === null ? [] : [trimmingLedger(ledger)]),
  ];
}

/** The areas of the running service. */
interface Areas {
  readonly handlers: Handlers;
  readonly jobs: JobDefinitions;
  readonly close: () => Promise<void>;
}

/** The parts of the machinery that areas use. */
interface AreaParts extends DeliveryParts {
  readonly version: string;
  readonly scheduler: StepScheduler;
  readonly writer: Writer;
  /** Time limits for requesting a page and for reading a document. */
  readonly readingLimits: CrawlingOptions['readingLimits'];
}

/** Creates the areas: one line for the handlers of each area, and one line for each kind of job. */
export function openAreas(parts: AreaParts): Areas {
  const deliveries = new Deliveries(parts);
  const { allowPrivate } = parts.receivers;
  const crawling = new Crawling({ allowPrivate, version: parts.version, realNow: parts.realNow, readingLimits: parts.readingLimits });
  const reading = { ...parts, crawling };
  return {
    handlers: {
      ...healthHandlers,
      ...openApiHandlers,
      ...keyHandlers,
      ...whoamiHandlers,
      ...creditHandlers,
      ...teamHandlers,
      ...accountHandlers,
      ...tagHandlers,
      ...listHandlers,
      ...contactHandlers,
      ...listContactHandlers,
      ...messageHandlers,
      ...sessionHandlers,
      ...channelHandlers,
      ...agentHandlers(deliveries),
      ...routingHandlers,
      ...campaignHandlers(deliveries),
      ...faqHandlers,
      ...kbHandlers({ crawling, resolve: deliveries.resolve }),
      ...templateHandlers,
      ...providerTemplateHandlers,
      ...broadcastHandlers,
      ...taskHandlers,
      ...eventHandlers,
      ...appointmentHandlers,
      ...linkHandlers,
      ...webhookHandlers(deliveries),
      ...analyticsHandlers,
      ...sandboxHandlers(deliveries, parts.writer, new RuleBooks()),
    },
    jobs: {
      agent_optimize: agentOptimize(reading),
      agent_tags: agentTags(parts),
      broadcast: broadcastSending(parts.failpoint),
      calendar_import: calendarImport(parts),
      calendar_sync: calendarSync,
      channel_charge: chargeChannel,
      comment_reply: commentReply(parts),
      daily_summary: dailySummary,
      faq_dedupe: faqDedupe(parts),
      faq_generate: faqGenerate(reading),
      faq_search: faqPreparation,
      kb_delete: kbDelete(parts),
      kb_import: kbImport(reading),
      kb_refresh: kbRefresh(reading),
      session_end: sessionEnd,
      template_review: templateReview,
      webhook_delivery: webhookDelivery(deliveries),
    },
    close: async () => {
      await crawling.close();
      await deliveries.close();
    },
  };
}
