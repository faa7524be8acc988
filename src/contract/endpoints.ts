import { accountEndpoints } from './areas/accounts/endpoints.ts';
import { agencyEndpoints } from './areas/agency/endpoints.ts';
import { agentEndpoints } from './areas/agents/endpoints.ts';
import { appointmentEndpoints } from './areas/appointments/endpoints.ts';
import { analyticsEndpoints } from './areas/analytics/endpoints.ts';
import { billingEndpoints } from './areas/billing/endpoints.ts';
import { brandingEndpoints } from './areas/branding/endpoints.ts';
import { broadcastEndpoints } from './areas/broadcasts/endpoints.ts';
import { campaignEndpoints } from './areas/campaigns/endpoints.ts';
import { channelEndpoints } from './areas/channels/endpoints.ts';
import { configEndpoints } from './areas/config/endpoints.ts';
import { contactEndpoints } from './areas/contacts/endpoints.ts';
import { creditEndpoints } from './areas/credits/endpoints.ts';
import { errorEndpoints } from './areas/errors/endpoints.ts';
import { dealEndpoints } from './areas/deals/endpoints.ts';
import { noteEndpoints } from './areas/notes/endpoints.ts';
import { pipelineEndpoints } from './areas/pipelines/endpoints.ts';
import { eventEndpoints } from './areas/events/endpoints.ts';
import { exportEndpoints } from './areas/exports/endpoints.ts';
import { faqEndpoints } from './areas/faqs/endpoints.ts';
import { functionEndpoints } from './areas/functions/endpoints.ts';
import { gapEndpoints } from './areas/gaps/endpoints.ts';
import { groupEndpoints } from './areas/groups/endpoints.ts';
import { healthEndpoints } from './areas/health/endpoints.ts';
import { kbEndpoints } from './areas/kb/endpoints.ts';
import { keyEndpoints } from './areas/keys/endpoints.ts';
import { linkEndpoints } from './areas/links/endpoints.ts';
import { listEndpoints } from './areas/lists/endpoints.ts';
import { mediaEndpoints } from './areas/media/endpoints.ts';
import { messageEndpoints } from './areas/messages/endpoints.ts';
import { notificationEndpoints } from './areas/notifications/endpoints.ts';
import { numberEndpoints } from './areas/numbers/endpoints.ts';
import { providerTemplateEndpoints } from './areas/provider-templates/endpoints.ts';
import { routingEndpoints } from './areas/routing/endpoints.ts';
import { sandboxEndpoints } from './areas/sandbox/endpoints.ts';
import { scheduleEndpoints } from './areas/schedules/endpoints.ts';
import { sessionEndpoints } from './areas/sessions/endpoints.ts';
import { snapshotEndpoints } from './areas/snapshots/endpoints.ts';
import { summaryEndpoints } from './areas/summaries/endpoints.ts';
import { tagEndpoints } from './areas/tags/endpoints.ts';
import { taskEndpoints } from './areas/tasks/endpoints.ts';
import { teamEndpoints } from './areas/team/endpoints.ts';
import { templateEndpoints } from './areas/templates/endpoints.ts';
import { toolServerEndpoints } from './areas/tool-servers/endpoints.ts';
import { webhookEndpoints } from './areas/webhooks/endpoints.ts';
import { widgetEndpoints } from './areas/widgets/endpoints.ts';
import { whoamiEndpoints } from './areas/whoami/endpoints.ts';
import type { Endpoint } from './endpoint.ts';

/** The published interface, under /v1, in the order in which the OpenAPI document lists it. */
export const endpoints = [
  ...healthEndpoints,
  ...keyEndpoints,
  ...whoamiEndpoints,
  ...creditEndpoints,
  ...billingEndpoints,
  ...teamEndpoints,
  ...configEndpoints,
  ...accountEndpoints,
  ...agencyEndpoints,
  ...snapshotEndpoints,
  ...brandingEndpoints,
  ...tagEndpoints,
  ...listEndpoints,
  ...contactEndpoints,
  ...messageEndpoints,
  ...sessionEndpoints,
  ...exportEndpoints,
  ...summaryEndpoints,
  ...channelEndpoints,
  ...numberEndpoints,
  ...agentEndpoints,
  ...functionEndpoints,
  ...toolServerEndpoints,
  ...mediaEndpoints,
  ...routingEndpoints,
  ...campaignEndpoints,
  ...faqEndpoints,
  ...kbEndpoints,
  ...groupEndpoints,
  ...gapEndpoints,
  ...templateEndpoints,
  ...providerTemplateEndpoints,
  ...broadcastEndpoints,
  ...taskEndpoints,
  ...scheduleEndpoints,
  ...pipelineEndpoints,
  ...dealEndpoints,
  ...noteEndpoints,
  ...eventEndpoints,
  ...appointmentEndpoints,
  ...linkEndpoints,
  ...webhookEndpoints,
  ...widgetEndpoints,
  ...notificationEndpoints,
  ...errorEndpoints,
  ...analyticsEndpoints,
] as const satisfies readonly Endpoint[];

/** Every endpoint: the published interface, and the sandbox under /sandbox. */
export const allEndpoints = [...endpoints, ...sandboxEndpoints] as const satisfies readonly Endpoint[];

type AnyEndpoint = (typeof allEndpoints)[number];

type Endpoints = { readonly [E in AnyEndpoint as E['name']]: E };

export type EndpointName = AnyEndpoint['name'];

/** The endpoint with this name. */
export type EndpointOf<Name extends EndpointName> = Endpoints[Name];
