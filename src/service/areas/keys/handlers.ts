import type { Endpoint } from '../../../contract/endpoint.ts';
import { iso, parseInstant } from '../../../contract/time/instants.ts';
import { limits } from '../../../contract/limits.ts';
import { ApiError, checkNotEmpty, invalidField } from '../../errors.ts';
import { type AreaHandlers, preparedHandler, type RequestContext } from '../../http/handler.ts';
import { mainKeyBucket } from '../../http/rate-buckets.ts';
import type { Db } from '../../store/database.ts';
import {
  createScopedKey,
  deleteMainKey,
  findMainKey,
  getScopedKey,
  listScopedKeys,
  replaceMainKey,
  revokeScopedKey,
  updateScopedKey,
} from './records.ts';
import { completeScopes } from './rules.ts';

async function requireMainKey(db: Db, accountId: string) {
  const key = await findMainKey(db, accountId);
  if (!key) throw new ApiError(404, 'The account has no main key; create one in the app');
  return key;
}

type Seen = Pick<RequestContext<Endpoint>, 'service' | 'account' | 'caller'>;

/**
 * The id of the main key as a request sees it before its transaction: the caller's own key, or the account's current key for an
 * owner.
 */
async function seenMainKey({ service, account, caller }: Seen): Promise<string> {
  if (caller.kind === 'main') return caller.keyId;
  return (await service.store.read((db) => requireMainKey(db, account.id))).id;
}

/**
 * The error of a request whose main key was replaced by another request in the meantime. @throws ApiError 404 when it was revoked
 */
async function replacedError(db: Db, accountId: string): Promise<ApiError> {
  await requireMainKey(db, accountId);
  return new ApiError(409, 'Another request has replaced the main key; use the new one');
}

/** @throws ApiError 400 when the expiry is not in the future */
function readExpiry(value: string | null | undefined, now: number): number | null {
  if (value === null || value === undefined) return null;
  const instant = parseInstant(value) as number;
  if (instant <= now) throw invalidField('expires_at', 'must be in the future');
  return instant;
}

async function readUsage({ service, account, now }: Pick<RequestContext<Endpoint>, 'service' | 'account' | 'now'>) {
  return await service.rateLimits.readUsed(mainKeyBucket(account.id), now);
}

export const keyHandlers: AreaHandlers<'keys'> = {
  'keys.current': async ({ db, account }) => {
    const { preview, created_at: createdAt } = await requireMainKey(db, account.id);
    return { api_key_masked: preview, api_key_retrievable: false, created_at: iso(createdAt) };
  },

  'keys.usage': preparedHandler(readUsage, async ({ account, now }, window) => {
    const limit = account.plan.key_requests_per_minute;
    const used = window?.used ?? 0;
    return {
      usage: {
        limit,
        window_seconds: limits.rateWindowSeconds,
        used,
        remaining: Math.max(0, limit - used),
        window_resets_at: iso(window?.resetsAt ?? now + limits.rateWindowSeconds * 1000),
      },
      ...(!window && { note: 'The main key was not used in the current window' }),
    };
  }),

  'keys.rotate': preparedHandler(seenMainKey, async ({ db, account, now }, seen) => {
    const key = await replaceMainKey(db, account.id, seen, now);
    if (key === undefined) throw await replacedError(db, account.id);
    return { api_key: key, message: 'This is the new main key. It is shown once; the previous one no longer works.' };
  }),

  'keys.revokeCurrent': preparedHandler(seenMainKey, async ({ db, account }, seen) => {
    if (!(await deleteMainKey(db, account.id, seen))) throw await replacedError(db, account.id);
    return { revoked: true, message: 'The main key no longer works. Create a new one in the app.' };
  }),

  'keys.list': async ({ db, account, service }) => ({ api_keys: await listScopedKeys(db, account.id, service.lastUse) }),

  'keys.get': async ({ db, account, params, service }) => ({ key: await getScopedKey(db, account.id, params.id, service.lastUse) }),

  'keys.create': async ({ db, account, body, now }) => {
    const fields = {
      label: body.label ?? 'API key',
      scopes: completeScopes(body.scopes ?? {}, account),
      expiresAt: readExpiry(body.expires_at, now),
    };
    const { key, record } = await createScopedKey(db, account.id, fields, now);
    const { id, label, key_preview, scopes, expires_at, revoked } = record;
    return {
      api_key: key,
      key: { id, label, key_preview, scopes, expires_at, revoked },
      message: 'This key is shown once: store it now.',
    };
  },

  'keys.update': async ({ db, account, params, body: { label, scopes, expires_at: expiresAt }, now, service }) => {
    checkNotEmpty({ label, scopes, expiresAt });
    const change = {
      ...(label !== undefined && { label }),
      ...(scopes !== undefined && { scopes: completeScopes(scopes, account) }),
      ...(expiresAt !== undefined && { expires_at: readExpiry(expiresAt, now) }),
    };
    return { key: await updateScopedKey(db, account.id, params.id, change, service.lastUse) };
  },

  'keys.revoke': async ({ db, account, params, now }) => {
    await revokeScopedKey(db, account.id, params.id, now);
    return { revoked: true, id: params.id, message: 'The key no longer works.' };
  },
};
