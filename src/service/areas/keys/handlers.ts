import { parseInstant } from '../../../contract/fields.ts';
import { limits } from '../../../contract/limits.ts';
import { mainKeyBucket } from '../../http/buckets.ts';
import { iso } from '../../clock/clock.ts';
import type { AreaHandlers } from '../../http/context.ts';
import { ApiError, notFound } from '../../errors.ts';
import {
  deleteMainKey,
  findMainKey,
  insertScopedKey,
  listScopedKeys,
  replaceMainKey,
  revokeScopedKey,
  updateScopedKey,
} from './records.ts';
import { completeScopes } from './rules.ts';

const noMainKey = () => new ApiError(404, 'The account has no main key; one can be made in the app');

/** @throws ApiError 400 when the expiry is not in the future */
function readExpiry(value: string | null | undefined, now: number): number | null {
  if (value === null || value === undefined) return null;
  const instant = parseInstant(value) as number;
  if (instant <= now) throw new ApiError(400, 'expires_at: must be in the future');
  return instant;
}

export const keyHandlers: AreaHandlers<'keys'> = {
  'keys.current': async ({ db, account }) => {
    const key = await findMainKey(db, account.id);
    if (!key) throw noMainKey();
    return { api_key_masked: key.preview, api_key_retrievable: false, created_at: iso(key.created_at) };
  },

  'keys.usage': async ({ db, account, now, service }) => {
    const limit = account.plan.key_requests_per_minute;
    const window = await service.rateLimits.used(db, mainKeyBucket(account.id), now);
    const used = window?.used ?? 0;
    return {
      usage: {
        limit,
        window_seconds: limits.rateWindowSeconds,
        used,
        remaining: Math.max(0, limit - used),
        window_resets_at: iso(window?.resetsAt ?? now + limits.rateWindowSeconds * 1000),
      },
      ...(window ? {} : { note: 'The main key was not used in the current window' }),
    };
  },

  'keys.rotate': async ({ db, account, now }) => {
    if (!(await findMainKey(db, account.id))) throw noMainKey();
    return {
      api_key: await replaceMainKey(db, account.id, now),
      message: 'This is the new main key. It is shown once; the previous one no longer works.',
    };
  },

  'keys.revokeCurrent': async ({ db, account }) => {
    if (!(await findMainKey(db, account.id))) throw noMainKey();
    await deleteMainKey(db, account.id);
    return { revoked: true, message: 'The main key no longer works. A new one can be made in the app.' };
  },

  'keys.list': async ({ db, account, service }) => {
    return { api_keys: await listScopedKeys(db, account.id, service.lastUse) };
  },

  'keys.create': async ({ db, account, body, now }) => {
    const { key, record } = await insertScopedKey(
      db,
      account.id,
      {
        label: body.label ?? 'API key',
        scopes: completeScopes(body.scopes ?? {}, account.plan),
        expiresAt: readExpiry(body.expires_at, now),
      },
      now,
    );
    const { id, label, key_preview, scopes, expires_at, revoked } = record;
    return {
      api_key: key,
      key: { id, label, key_preview, scopes, expires_at, revoked },
      message: 'This key is shown once: store it now.',
    };
  },

  'keys.update': async ({ db, account, params, body, now, service }) => {
    if (body.label === undefined && body.scopes === undefined && body.expires_at === undefined)
      throw new ApiError(400, 'No fields to update');
    const change = {
      ...(body.label === undefined ? {} : { label: body.label }),
      ...(body.scopes === undefined ? {} : { scopes: JSON.stringify(completeScopes(body.scopes, account.plan)) }),
      ...(body.expires_at === undefined ? {} : { expires_at: readExpiry(body.expires_at, now) }),
    };
    const key = await updateScopedKey(db, account.id, params.id, change, service.lastUse);
    if (!key) throw notFound('Key');
    return { key };
  },

  'keys.revoke': async ({ db, account, params, now }) => {
    if (!(await revokeScopedKey(db, account.id, params.id, now))) throw notFound('Key');
    return { revoked: true, id: params.id, message: 'The key no longer works.' };
  },
};
