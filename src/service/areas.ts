import type { Area } from './area.ts';
import { accountArea } from './areas/accounts/area.ts';
import { activityArea } from './areas/activity/area.ts';
import { agencyArea } from './areas/agency/area.ts';
import { agentRunArea } from './areas/agent-runs/area.ts';
import { agentArea } from './areas/agents/area.ts';
import { analyticsArea } from './areas/analytics/area.ts';
import { answerArea } from './areas/answers/area.ts';
import { appointmentArea } from './areas/appointments/area.ts';
import { billingArea } from './areas/billing/area.ts';
import { bookingArea } from './areas/bookings/area.ts';
import { brandingArea } from './areas/branding/area.ts';
import { broadcastArea } from './areas/broadcasts/area.ts';
import { campaignArea } from './areas/campaigns/area.ts';
import { channelArea } from './areas/channels/area.ts';
import { configArea } from './areas/config/area.ts';
import { contactArea } from './areas/contacts/area.ts';
import { creditArea } from './areas/credits/area.ts';
import { errorArea } from './areas/errors/area.ts';
import { dealArea } from './areas/deals/area.ts';
import { eventArea } from './areas/events/area.ts';
import { exportArea } from './areas/exports/area.ts';
import { faqArea } from './areas/faqs/area.ts';
import { functionArea } from './areas/functions/area.ts';
import { gapArea } from './areas/gaps/area.ts';
import { groupArea } from './areas/groups/area.ts';
import { healthArea } from './areas/health/area.ts';
import { inboundArea } from './areas/inbound/area.ts';
import { kbArea } from './areas/kb/area.ts';
import { keyArea } from './areas/keys/area.ts';
import { linkArea } from './areas/links/area.ts';
import { listArea } from './areas/lists/area.ts';
import { mediaArea } from './areas/media/area.ts';
import { messageArea } from './areas/messages/area.ts';
import { noteArea } from './areas/notes/area.ts';
import { notificationArea } from './areas/notifications/area.ts';
import { pipelineArea } from './areas/pipelines/area.ts';
import { numberArea } from './areas/numbers/area.ts';
import { routingArea } from './areas/routing/area.ts';
import { sandboxArea } from './areas/sandbox/area.ts';
import { scheduleArea } from './areas/schedules/area.ts';
import { sessionArea } from './areas/sessions/area.ts';
import { sessionSummaryArea } from './areas/session-summaries/area.ts';
import { snapshotArea } from './areas/snapshots/area.ts';
import { statusChangeArea } from './areas/status-changes/area.ts';
import { summaryArea } from './areas/summaries/area.ts';
import { tagArea } from './areas/tags/area.ts';
import { taskArea } from './areas/tasks/area.ts';
import { teamArea } from './areas/team/area.ts';
import { templateArea } from './areas/templates/area.ts';
import { toolServerArea } from './areas/tool-servers/area.ts';
import { uploadArea } from './areas/uploads/area.ts';
import { visitorArea } from './areas/visitors/area.ts';
import { webhookArea } from './areas/webhooks/area.ts';
import { widgetArea } from './areas/widgets/area.ts';
import { whoamiArea } from './areas/whoami/area.ts';
import { requestFailpoints, storeFailpoints } from './drills/failpoint.ts';
import type { Handlers } from './http/endpoint-group.ts';
import { assetRoute } from './http/asset-route.ts';
import type { PublicRoute } from './http/public-routes.ts';
import { trimmingKeptAnswers } from './http/kept-answers.ts';
import { trimmingGivenUpJobs } from './jobs/given-up.ts';
import type { JobDefinitions } from './jobs/job.ts';
import { type AccountRows, deletingAccounts } from './maintenance/deleting-accounts.ts';
import { maintenanceFailpoints } from './maintenance/maintenance.ts';
import type { Retention } from './maintenance/retention.ts';
import type { MaintenanceTask } from './maintenance/task.ts';
import { initial } from './migrations/001-initial.ts';
import { healthMergesCampaignTags } from './migrations/002-health-merges-campaign-tags.ts';
import { passages } from './migrations/003-passages.ts';
import { kbTexts } from './migrations/004-kb-texts.ts';
import { teamConfigNotifications } from './migrations/005-team-config-notifications.ts';
import { vectors } from './migrations/006-vectors.ts';
import { messageSearch } from './migrations/007-messages.ts';
import { replays } from './migrations/008-replays.ts';
import { statusesOfRecipients } from './migrations/009-statuses-of-recipients.ts';
import { keptAnswers } from './migrations/010-kept-answers.ts';
import { knowledgeGroupsGapsSummaries } from './migrations/011-knowledge-groups-gaps-summaries.ts';
import { tools } from './migrations/012-tools.ts';
import { accountsOfTransfers } from './migrations/013-accounts-of-transfers.ts';
import { previousAgents } from './migrations/014-previous-agents.ts';
import { deals } from './migrations/015-deals.ts';
import { chatExports } from './migrations/016-chat-exports.ts';
import { scheduledTasks } from './migrations/017-scheduled-tasks.ts';
import { billing } from './migrations/018-billing.ts';
import { snapshots } from './migrations/019-snapshots.ts';
import { pages } from './migrations/020-pages.ts';
import { namesInQuestions } from './migrations/021-names-in-questions.ts';
import { sourcesByStatus } from './migrations/022-sources-by-status.ts';
import { wordsOfScripts } from './migrations/023-words-of-scripts.ts';
import { faqsToPrepare } from './migrations/024-faqs-to-prepare.ts';
import { wholeSentences } from './migrations/025-whole-sentences.ts';
import { wholeVerbs } from './migrations/026-whole-verbs.ts';
import { wordsWithoutSpaces } from './migrations/027-words-without-spaces.ts';
import type { Migration } from './store/migration.ts';

/**
 * The migrations of the store, in order. A migration never changes once it is on main, released or not: a store may have applied it. Add
 * another one at the end.
 */
export const migrations: readonly Migration[] = [
  initial,
  healthMergesCampaignTags,
  passages,
  kbTexts,
  teamConfigNotifications,
  vectors,
  messageSearch,
  replays,
  statusesOfRecipients,
  keptAnswers,
  knowledgeGroupsGapsSummaries,
  tools,
  accountsOfTransfers,
  previousAgents,
  deals,
  chatExports,
  scheduledTasks,
  billing,
  snapshots,
  pages,
  namesInQuestions,
  sourcesByStatus,
  wordsOfScripts,
  faqsToPrepare,
  wholeSentences,
  wholeVerbs,
  wordsWithoutSpaces,
];

/** The areas of the service. The rows of a deleted account are deleted in this order; that of the imports is in areas/README.md. */
const areas = [
  webhookArea,
  contactArea,
  tagArea,
  listArea,
  broadcastArea,
  activityArea,
  scheduleArea,
  dealArea,
  taskArea,
  noteArea,
  statusChangeArea,
  pipelineArea,
  functionArea,
  toolServerArea,
  mediaArea,
  agentArea,
  kbArea,
  routingArea,
  campaignArea,
  groupArea,
  gapArea,
  faqArea,
  answerArea,
  templateArea,
  bookingArea,
  appointmentArea,
  eventArea,
  linkArea,
  keyArea,
  uploadArea,
  snapshotArea,
  accountArea,
  agencyArea,
  billingArea,
  brandingArea,
  numberArea,
  agentRunArea,
  analyticsArea,
  channelArea,
  creditArea,
  healthArea,
  inboundArea,
  messageArea,
  sandboxArea,
  sessionArea,
  exportArea,
  summaryArea,
  sessionSummaryArea,
  teamArea,
  configArea,
  notificationArea,
  errorArea,
  visitorArea,
  widgetArea,
  whoamiArea,
] as const satisfies readonly Area[];

/** What the areas have under a name, together. A missing handler or kind of job is a type error below. */
type AllOf<Name extends keyof Area> = Intersection<Extract<(typeof areas)[number], Record<Name, unknown>>[Name]>;

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void ? All : never;

function allOf<Name extends 'handlers' | 'jobs'>(name: Name): AllOf<Name> {
  return Object.assign({}, ...areas.map((area: Area) => area[name])) as AllOf<Name>;
}

/** The handlers of all endpoints. */
export const handlers: Handlers = allOf('handlers');

/** The definitions of all kinds of jobs. */
export const jobDefinitions: JobDefinitions = allOf('jobs');

/** The public pages of all areas, with their scripts and styles. */
export const publicRoutes: readonly PublicRoute[] = [assetRoute, ...areas.flatMap((area: Area) => area.publicRoutes ?? [])];

/** The names of all places at which a drill can kill the process. */
export const failpoints: readonly string[] = [
  ...storeFailpoints,
  ...requestFailpoints,
  ...maintenanceFailpoints,
  ...areas.flatMap((area: Area) => area.failpoints ?? []),
];

/** Jobs come first, because the queue has to skip them until they are deleted. */
const rowsOfAccounts: readonly AccountRows[] = [
  { table: 'jobs' },
  { table: 'kept_answers' },
  ...areas.flatMap((area: Area) => area.rows ?? []),
];

/** The background maintenance tasks: long deletions, trimming of expired records, and what areas add. */
export function maintenanceTasks(retention: Retention): MaintenanceTask[] {
  return [
    deletingAccounts(rowsOfAccounts),
    trimmingKeptAnswers,
    ...(retention.jobs === null ? [] : [trimmingGivenUpJobs(retention.jobs)]),
    ...areas.flatMap((area: Area) => area.trimming?.(retention) ?? []),
    ...areas.flatMap((area: Area) => area.maintenance ?? []),
  ];
}
