import { addChannel, addMember, addUpload, createAccount, getAccount, makeMainKey, signMemberIn, updateAccount } from './accounts.ts';
import { advanceClock, getClock, setClock } from './clock.ts';
import { askAgent, receiveComment, receiveFollower, receiveInbound, replyAsTeam, reportDelivery } from './conversations.ts';
import { listDeliveries, resendDelivery, triggerEvent } from './deliveries.ts';
import { addFault, clearFaults, listFaults } from './faults.ts';
import { getJwks } from './identity.ts';
import { getJobs, holdJobs, settle } from './jobs.ts';
import { dropPairing, expirePairing, scanPairing } from './pairings.ts';
import { listRequests } from './requests.ts';
import { fillHistory, loadStore, rebuildCounts, resetStore, saveStore } from './store.ts';
import { reviewTemplate } from './templates.ts';

export const sandboxEndpoints = [
  resetStore,
  getClock,
  setClock,
  advanceClock,
  settle,
  createAccount,
  getAccount,
  updateAccount,
  makeMainKey,
  addMember,
  signMemberIn,
  addChannel,
  addUpload,
  receiveInbound,
  receiveComment,
  receiveFollower,
  askAgent,
  reportDelivery,
  replyAsTeam,
  reviewTemplate,
  scanPairing,
  expirePairing,
  dropPairing,
  getJobs,
  holdJobs,
  triggerEvent,
  listDeliveries,
  resendDelivery,
  listRequests,
  addFault,
  listFaults,
  clearFaults,
  fillHistory,
  saveStore,
  loadStore,
  rebuildCounts,
  getJwks,
] as const;
