import type { createWebhook, updateWebhook } from '../../../contract/areas/webhooks/endpoints.ts';
import type { Body } from '../../../contract/endpoint.ts';
import { limits } from '../../../contract/limits.ts';
import { ApiError, nameTaken, notFound } from '../../errors.ts';
import { deletedAccounts, deleteWithDependents } from '../../identity/deleted-accounts.ts';
import type { Db } from '../../store/database.ts';
import type { Row } from '../../store/table.ts';
import { clearDisabled, deleteHealth } from './health.ts';
import { interruption, isPaused } from './interruptions.ts';
import { defaultName, receiverOf } from './rules.ts';
import { webhooks } from './table.ts';

/** A subscription, with its position among the account's subscriptions. Answers show the position as its id. */
export type Webhook = Row<typeof webhooks> & { readonly position: string };

/** Reads an account's subscriptions in the order of creation, numbered from "1" (rule webhooks.10). */
export async function listWebhooks(db: Db, accountId: string): Promise<Webhook[]> {
  const rows = await db.selectFrom('webhooks').selectAll().where('account_id', '=', accountId).orderBy('seq').execute();
  return rows.map((row, index) => ({ ...webhooks.decode(row), position: String(index + 1) }));
}

/**
 * Finds a subscription by its position or its name. Digits are tried as a position first (rules webhooks.12, webhooks.13).
 * @throws ApiError 404 when the account has no such subscription
 */
export async function requireWebhook(db: Db, accountId: string, idOrName: string): Promise<Webhook> {
  const all = await readNames(db, accountId);
  const found = all.find(({ position }) => position === idOrName) ?? all.find(({ name }) => name === idOrName);
  if (!found) throw notFound('webhook');
  return { ...(await webhooks.require(db, accountId, found.id)), position: found.position };
}

/** The names of an account's subscriptions, with their positions, without reading the subscriptions. */
async function readNames(db: Db, accountId: string): Promise<Pick<Webhook, 'id' | 'name' | 'position'>[]> {
  const rows = await db.selectFrom('webhooks').select(['id', 'name']).where('account_id', '=', accountId).orderBy('seq').execute();
  return rows.map((row, index) => ({ ...row, position: String(index + 1) }));
}

/** A subscription as the answer that creates it shows it. */
export function newWebhookRecord(webhook: Webhook) {
  const { name, url, subscribed_to, subscribed_to_tags, created_at } = webhooks.show(webhook);
  return { id: webhook.position, name, url, subscribed_to, subscribed_to_tags, created_at };
}

/** A subscription as lists show it, without its secret. */
export function webhookRecord(webhook: Webhook) {
  const { signing_secret_created_at, retries_enabled, enabled, apply_to_sub_accounts } = webhooks.show(webhook);
  return {
    ...newWebhookRecord(webhook),
    signing_enabled: webhook.signing_secret !== null,
    signing_secret_created_at,
    retries_enabled,
    enabled,
    apply_to_sub_accounts,
  };
}

/** The columns for the fields of a request. Repeated events and tags are stored once. */
function readFields(fields: Body<typeof updateWebhook>) {
  const { subscribed_to: events, subscribed_to_tags: tags } = fields;
  return {
    ...webhooks.read(fields),
    ...(fields.url !== undefined && { receiver: receiverOf(fields.url) }),
    ...(events && { subscribed_to: [...new Set(events)] }),
    ...(tags && { subscribed_to_tags: [...new Set(tags)] }),
  };
}

/**
 * Creates a subscription.
 * @param secret the signing secret; null for unsigned deliveries
 * @throws ApiError 409 when another subscription has the name, 400 when the account has as many subscriptions as it can have
 */
export async function createSubscription(
  db: Db,
  accountId: string,
  { generate_signing_secret: _, ...body }: Body<typeof createWebhook>,
  secret: string | null,
  now: number,
): Promise<Webhook> {
  const names = new Set((await readNames(db, accountId)).map(({ name }) => name));
  if (names.size >= limits.webhooks)
    throw new ApiError(400, `The account has ${limits.webhooks} webhooks, as many as it can have: delete one first`);
  const name = body.name ?? defaultName(body.url, names);
  if (names.has(name)) throw taken(name);
  const signing = { signing_secret: secret, signing_secret_created_at: secret === null ? null : now };
  const fields = { ...readFields(body), url: body.url, receiver: receiverOf(body.url), subscribed_to: [...new Set(body.subscribed_to)] };
  const isInterrupted = body.enabled === false || (await isPaused(db, accountId, fields.receiver));
  const { id } = await webhooks.create(
    db,
    accountId,
    { ...fields, ...signing, name, ...(isInterrupted && (await interruption(db, now))) },
    now,
  );
  return await requireById(db, accountId, id);
}

/**
 * Changes a subscription. Omitted fields keep their values.
 * @throws ApiError 409 when another subscription has the name
 */
export async function changeSubscription(db: Db, webhook: Webhook, body: Body<typeof updateWebhook>, now: number): Promise<Webhook> {
  const { account_id: accountId, id } = webhook;
  if (body.name !== undefined) {
    const isTaken = (await readNames(db, accountId)).some((other) => other.id !== id && other.name === body.name);
    if (isTaken) throw taken(body.name);
  }
  // Events that a paused receiver has missed already count on.
  const isInterrupted = body.enabled === false && webhook.enabled && !(await isPaused(db, accountId, webhook.receiver));
  const change = { ...readFields(body), ...(isInterrupted && (await interruption(db, now))) };
  const { receiver } = await webhooks.change(db, accountId, id, change, now);
  // A new receiver starts enabled, because earlier failures were those of the old one.
  if (receiver !== webhook.receiver) await clearDisabled(db, accountId, receiver, now, { consecutive_failures: 0 });
  return await requireById(db, accountId, id);
}

/** Sets the signing secret, or removes it when null. */
export async function setSigningSecret(db: Db, { account_id: accountId, id }: Webhook, secret: string | null, now: number): Promise<void> {
  const change = { signing_secret: secret, signing_secret_created_at: secret === null ? null : now };
  await webhooks.change(db, accountId, id, change, now);
}

/** Removes the signing secrets of a deleted account immediately, because its rows may be deleted much later. */
export async function removeSigningSecrets(db: Db, accountId: string): Promise<void> {
  await db.updateTable('webhooks').set({ signing_secret: null }).where('account_id', '=', accountId).execute();
}

/** Deletes a subscription along with its signing secret and the health of its receiver. */
export async function deleteSubscription(db: Db, webhook: Webhook, now: number): Promise<void> {
  const { account_id: accountId, id, receiver } = webhook;
  await setSigningSecret(db, webhook, null, now);
  await deleteWithDependents(db, webhooks, [{ table: 'deliveries', column: 'webhook_id' }], accountId, id, now);
  await deleteHealth(db, accountId, receiver);
}

async function requireById(db: Db, accountId: string, id: string): Promise<Webhook> {
  const { position = '' } = (await readNames(db, accountId)).find((each) => each.id === id) ?? {};
  return { ...(await webhooks.require(db, accountId, id)), position };
}

const taken = (name: string) => nameTaken(`A webhook named '${name}' already exists`);

/** The positions of the subscriptions of some accounts, by internal id. */
export async function positionsOf(db: Db, accountIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.selectFrom('webhooks').select(['id', 'account_id']).where('account_id', 'in', accountIds).orderBy('seq').execute();
  const counts = new Map<string, number>();
  return new Map(
    rows.map(({ id, account_id: account }) => {
      const position = (counts.get(account) ?? 0) + 1;
      counts.set(account, position);
      return [id, String(position)];
    }),
  );
}

/** A query for the internal ids of subscriptions with a position or a name, in any account. */
export function idsOfWebhooks(db: Db, positionOrName: string) {
  const position = /^\d{1,9}$/.test(positionOrName) ? Number(positionOrName) : -1;
  return db
    .selectFrom('webhooks')
    .select('webhooks.id')
    .where('webhooks.account_id', 'not in', deletedAccounts(db))
    .where((eb) =>
      eb.or([
        eb('webhooks.name', '=', positionOrName),
        eb(
          eb
            .selectFrom('webhooks as earlier')
            .select((inner) => inner.fn.countAll<number>().as('count'))
            .whereRef('earlier.account_id', '=', 'webhooks.account_id')
            .whereRef('earlier.seq', '<=', 'webhooks.seq'),
          '=',
          position,
        ),
      ]),
    );
}
