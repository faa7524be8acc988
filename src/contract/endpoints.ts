import * as apiKeys from './api-keys.ts';
import * as broadcasts from './broadcasts.ts';
import * as campaigns from './campaigns.ts';
import * as channels from './channels.ts';
import * as chatSessions from './chat-sessions.ts';
import * as contacts from './contacts.ts';
import type { Endpoint } from './endpoint.ts';
import * as eventTypes from './event-types.ts';
import * as health from './health.ts';
import * as lists from './lists.ts';
import * as messages from './messages.ts';
import * as sandbox from './sandbox.ts';
import * as shortLinks from './short-links.ts';
import * as subaccounts from './subaccounts.ts';
import * as tags from './tags.ts';
import * as tasks from './tasks.ts';
import * as team from './team.ts';
import * as users from './users.ts';
import * as webhooks from './webhooks.ts';

/** The published interface, under /v1. */
export const endpoints = [
  health.getHealth,
  health.getOpenApi,
  apiKeys.currentKey,
  apiKeys.keyUsage,
  apiKeys.rotateMainKey,
  apiKeys.revokeMainKey,
  apiKeys.listKeys,
  apiKeys.createKey,
  apiKeys.updateKey,
  apiKeys.revokeKey,
  users.getMe,
  users.getCredits,
  team.listMembers,
  subaccounts.listSubAccounts,
  subaccounts.createSubAccount,
  subaccounts.getSubAccount,
  subaccounts.deleteSubAccount,
  subaccounts.transferCredits,
  tags.listTags,
  tags.createTag,
  tags.updateTag,
  tags.deleteTag,
  lists.listLists,
  lists.createList,
  lists.updateList,
  lists.deleteList,
  lists.addListContacts,
  lists.removeListContacts,
  contacts.listContacts,
  contacts.createContact,
  contacts.importContacts,
  messages.sendMessage,
  contacts.getContact,
  contacts.updateContact,
  contacts.deleteContact,
  contacts.tagContact,
  contacts.untagContact,
  contacts.pauseContact,
  contacts.resumeContact,
  contacts.unarchiveContact,
  messages.listMessages,
  chatSessions.listChatSessions,
  chatSessions.getChatSession,
  channels.listChannels,
  channels.startPairing,
  channels.getPairingCode,
  channels.getPairingStatus,
  channels.disconnectChannel,
  campaigns.listCampaigns,
  campaigns.createCampaign,
  campaigns.getCampaign,
  campaigns.updateCampaign,
  campaigns.deleteCampaign,
  broadcasts.listBroadcasts,
  broadcasts.createBroadcast,
  broadcasts.getBroadcast,
  broadcasts.updateBroadcast,
  broadcasts.deleteBroadcast,
  broadcasts.submitBroadcast,
  broadcasts.approveBroadcast,
  broadcasts.pauseBroadcast,
  broadcasts.resumeBroadcast,
  broadcasts.cancelBroadcast,
  tasks.listTasks,
  tasks.createTask,
  tasks.getTask,
  tasks.updateTask,
  tasks.deleteTask,
  tasks.completeTask,
  eventTypes.listEventTypes,
  eventTypes.createEventType,
  eventTypes.getEventType,
  eventTypes.updateEventType,
  eventTypes.deleteEventType,
  shortLinks.listShortLinks,
  shortLinks.createShortLink,
  shortLinks.deleteShortLink,
  shortLinks.followShortLink,
  webhooks.listWebhooks,
  webhooks.listEvents,
  webhooks.createWebhook,
  webhooks.updateWebhook,
  webhooks.deleteWebhook,
  webhooks.testWebhook,
  webhooks.getWebhookHealth,
  webhooks.reenableWebhook,
  webhooks.getSigningSecret,
  webhooks.rotateSigningSecret,
  webhooks.removeSigningSecret,
] as const satisfies readonly Endpoint[];

/** The control surface, under /sandbox. */
export const controlEndpoints = [
  sandbox.resetStore,
  sandbox.getClock,
  sandbox.setClock,
  sandbox.advanceClock,
  sandbox.settle,
  sandbox.createAccount,
  sandbox.getAccount,
  sandbox.updateAccount,
  sandbox.makeMainKey,
  sandbox.addMember,
  sandbox.addChannel,
  sandbox.addUpload,
  sandbox.receiveInbound,
  sandbox.reportDelivery,
  sandbox.replyAsTeam,
  sandbox.scanPairing,
  sandbox.expirePairing,
  sandbox.dropPairing,
  sandbox.getJobs,
  sandbox.holdJobs,
  sandbox.triggerEvent,
  sandbox.listDeliveries,
  sandbox.resendDelivery,
  sandbox.listRequests,
  sandbox.addFault,
  sandbox.listFaults,
  sandbox.clearFaults,
  sandbox.getJwks,
] as const satisfies readonly Endpoint[];

type All = (typeof endpoints)[number] | (typeof controlEndpoints)[number];

export type EndpointName = All['name'];

/** The endpoint of a name. */
export type EndpointOf<Name extends EndpointName> = Extract<All, { name: Name }>;
