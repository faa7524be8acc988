import type { Client } from '../../../client/client.ts';
import { InterfaceError, lacksEndpoint } from '../../../client/errors.ts';
import { dayLength } from '../../../contract/time/days.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { listBroadcasts } from '../../../contract/areas/broadcasts/endpoints.ts';
import { defaultLowCreditThreshold, getCredits } from '../../../contract/areas/credits/endpoints.ts';
import { listErrors } from '../../../contract/areas/errors/endpoints.ts';
import { getHealth } from '../../../contract/areas/health/endpoints.ts';
import { listKeys } from '../../../contract/areas/keys/endpoints.ts';
import { listNotifications } from '../../../contract/areas/notifications/endpoints.ts';
import { listTasks } from '../../../contract/areas/tasks/endpoints.ts';
import { getMe } from '../../../contract/areas/whoami/endpoints.ts';
import { limits } from '../../../contract/limits.ts';
import { iso } from '../../../contract/time/instants.ts';
import type { Session } from '../../verb/noun.ts';
import { type Disconnected, readDisconnected } from '../../channels/disconnected.ts';
import { type Day, readDay } from '../../receivers/deliveries.ts';
import {
  type HealthRow,
  healthRow,
  isUnhealthy,
  readReceivers,
  type ReceiverState,
  receiverStates,
  withPaused,
  worstFirst,
} from '../../receivers/health.ts';

/** Keys that expire within this many days are shown. */
export const keyNoticeDays = 7;

/** Maximum number of the newest tasks and broadcasts to read. */
export const maxRows = 500;

/** What needs attention on an account. A part is null if the key may not read it, or the data is not available. */
export interface Status {
  readonly account: { readonly id: string; readonly name: string | null; readonly kind: string | null };
  /** The time of the service's clock. */
  readonly time: string;
  readonly credits: (Omit<Answer<typeof getCredits>, 'monthly_credits'> & { readonly is_low: boolean }) | null;
  readonly receivers: (Record<ReceiverState | 'total', number> & { readonly unhealthy: readonly HealthRow[] }) | null;
  /** Null without a sandbox, because only a sandbox lists deliveries. */
  readonly deliveries: Day | null;
  readonly broadcasts: { readonly sending: number; readonly rows: readonly Sending[]; readonly is_complete: boolean } | null;
  readonly channels: { readonly total: number; readonly disconnected: number; readonly rows: readonly Disconnected[] } | null;
  readonly tasks: { readonly overdue: number; readonly oldest_due_at: string | null; readonly is_complete: boolean } | null;
  /** Null on a sub-account too: the API lists only the keys of the key's own account. */
  readonly keys: { readonly expiring: number; readonly rows: readonly Expiring[] } | null;
  /** Null on a service that has no notifications. */
  readonly notifications: { readonly unread: number } | null;
  /** Null on a service that has no error log. */
  readonly errors: { readonly last_day: number; readonly is_complete: boolean } | null;
  readonly not_allowed: readonly StatusPart[];
}

/** The parts that a scoped key may not be allowed to read. */
export type StatusPart =
  | 'account'
  | 'credits'
  | 'receivers'
  | 'deliveries'
  | 'channels'
  | 'broadcasts'
  | 'tasks'
  | 'keys'
  | 'notifications'
  | 'errors';

interface Sending {
  readonly id: string;
  readonly name: string;
  readonly total: number;
  readonly sent: number;
  readonly failed: number;
}

interface Expiring {
  readonly id: string;
  readonly label: string;
  readonly expires_at: string;
  readonly is_expired: boolean;
}

/** Reads all parts of the current account's status in parallel. */
export async function readStatus(session: Session): Promise<Status> {
  const { targets } = session;
  const client = await targets.client();
  const { subAccountId } = targets.resolve();
  const sandbox = await targets.sandboxAtHand();
  const refused = new Set<StatusPart>();
  const allowed = async <Value>(part: StatusPart, reading: Promise<Value>): Promise<Value | null> => {
    try {
      return await reading;
    } catch (error) {
      // A service can lack notifications and the error log.
      if ((part === 'notifications' || part === 'errors') && lacksEndpoint(error)) return null;
      if (!(error instanceof InterfaceError && error.status === 403)) throw error;
      refused.add(part);
      return null;
    }
  };
  const { account_id: id, time } = await client.call(getHealth, {});
  const now = Date.parse(time);
  const [user, credits, receivers, deliveries, channels, broadcasts, tasks, keys, notifications, errors] = await Promise.all([
    allowed('account', client.call(getMe, {})),
    allowed('credits', readCredits(client)),
    allowed('receivers', readAllReceivers(session, client)),
    sandbox ? readDay(sandbox, id, now) : null,
    allowed('channels', readChannels(client)),
    allowed('broadcasts', readSending(client)),
    allowed('tasks', readOverdue(client, now)),
    subAccountId === undefined ? allowed('keys', readExpiring(client, now)) : null,
    allowed('notifications', readUnread(client)),
    allowed('errors', readErrors(client, now)),
  ]);
  // The sandbox token can read deliveries regardless of the key. They are hidden if the key may not read the receivers.
  const isHidden = sandbox !== null && refused.has('receivers');
  if (isHidden) refused.add('deliveries');
  const account = { id, name: user?.user.name ?? null, kind: user?.user.kind ?? null };
  return {
    account,
    time,
    credits,
    receivers,
    deliveries: isHidden ? null : deliveries,
    channels,
    broadcasts,
    tasks,
    keys,
    notifications,
    errors,
    not_allowed: [...refused].sort(),
  };
}

async function readCredits(client: Client): Promise<Status['credits']> {
  const { balance, used_this_month, auto_recharge_enabled, low_credit_threshold } = await client.call(getCredits, {});
  const isLow = balance <= 0 || balance < (low_credit_threshold ?? defaultLowCreditThreshold);
  return { balance, used_this_month, auto_recharge_enabled, low_credit_threshold, is_low: isLow };
}

async function readAllReceivers(session: Session, client: Client): Promise<Status['receivers']> {
  const rows = worstFirst((await withPaused(client, await readReceivers(session))).map(healthRow));
  const count = (wanted: ReceiverState) => rows.filter(({ state }) => state === wanted).length;
  const counts = Object.fromEntries(receiverStates.map((state) => [state, count(state)])) as Record<ReceiverState, number>;
  return { total: rows.length, ...counts, unhealthy: rows.filter(({ state }) => isUnhealthy(state)) };
}

async function readChannels(client: Client): Promise<Status['channels']> {
  const { total, rows } = await readDisconnected(client);
  return { total, disconnected: rows.length, rows };
}

async function readSending(client: Client): Promise<Status['broadcasts']> {
  const { rows, isComplete } = await newest(client.pages(listBroadcasts, {}, maxRows));
  const sending = rows
    .filter(({ status }) => status === 'Sending')
    .map(({ id, name, counts: { total, sent, failed } }) => ({ id, name, total, sent, failed }));
  return { sending: sending.length, rows: sending, is_complete: isComplete };
}

async function readOverdue(client: Client, now: number): Promise<Status['tasks']> {
  const { rows, isComplete } = await newest(client.pages(listTasks, {}, maxRows));
  const due = rows
    .flatMap(({ status, due_at: at }) => (status === 'open' && at !== null && Date.parse(at) < now ? [at] : []))
    .sort((a, b) => Date.parse(a) - Date.parse(b));
  return { overdue: due.length, oldest_due_at: due[0] ?? null, is_complete: isComplete };
}

async function readExpiring(client: Client, now: number): Promise<Status['keys']> {
  const { api_keys: keys } = await client.call(listKeys, {});
  const rows = keys
    .flatMap(({ id, label, expires_at: at, revoked }) => {
      if (revoked || at === null || Date.parse(at) > now + keyNoticeDays * dayLength) return [];
      return [{ id, label, expires_at: at, is_expired: Date.parse(at) <= now }];
    })
    .sort((a, b) => Date.parse(a.expires_at) - Date.parse(b.expires_at));
  return { expiring: rows.length, rows };
}

async function readUnread(client: Client): Promise<Status['notifications']> {
  return { unread: (await client.call(listNotifications, { query: { limit: 1 } })).unread_count };
}

async function readErrors(client: Client, now: number): Promise<Status['errors']> {
  const query = { from: iso(now - dayLength) };
  const { rows, isComplete } = await newest(client.pages(listErrors, { query }, limits.pageSizeMax));
  return { last_day: rows.length, is_complete: isComplete };
}

/** The rows of pages, and whether these are all. */
async function newest<Row>(pages: AsyncIterable<{ readonly rows: Row[]; readonly next_cursor: string | null }>) {
  const read = await Array.fromAsync(pages);
  return { rows: read.flatMap(({ rows }) => rows), isComplete: read.at(-1)?.next_cursor === null };
}
