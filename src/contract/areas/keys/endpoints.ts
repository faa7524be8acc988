import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { id, instant, name, recordId, text, timestamp } from '../../fields.ts';
import { limits } from '../../limits.ts';
import { secret } from '../../secret.ts';

/** The scopes of a new key. Omitted fields get their defaults (rules keys.15, keys.16, keys.17, keys.18). */
const scopesInput = () =>
  z.object({
    read_only: z.boolean().optional().meta({ description: 'allow read requests only', defaultText: 'true' }),
    tags: z
      .array(text(100))
      .max(100)
      .optional()
      .meta({ description: 'sections the key may use; an empty list means every section', defaultText: 'Analytics' }),
    sub_account_ids: z
      .array(id())
      .max(1_000)
      .refine((ids) => !ids.includes('*') || ids.length === 1, { error: "'*' cannot be combined with ids" })
      .optional()
      .describe("sub-accounts the key may act on; '*' means its own account and every sub-account"),
    // The upper bound depends on the plan (rule keys.25).
    rate_limit_per_min: z.int().min(1).optional().meta({ description: 'requests per minute', defaultText: '60' }),
  });

const scopes = () =>
  z.object({
    read_only: z.boolean(),
    tags: z.array(z.string()),
    sub_account_ids: z.array(z.string()),
    rate_limit_per_min: z.int(),
  });

const basics = () => ({
  id: recordId('key_'),
  label: z.string().describe("the owner's name for the key"),
  key_preview: z.string().describe('the first 4 characters of the key, three dots and the last 4'),
  scopes: scopes(),
  expires_at: timestamp().nullable(),
});

const newKey = () => z.object({ ...basics(), revoked: z.boolean() });

const scopedKey = () =>
  z.object({
    ...basics(),
    last_used_at: timestamp().nullable(),
    created_at: timestamp(),
    revoked_at: timestamp().nullable(),
    revoked: z.boolean(),
  });

const label = () => name(limits.keyLabelLength);

export const currentKey = endpoint({
  name: 'keys.current',
  method: 'GET',
  path: '/api-keys/current',
  section: 'API Keys',
  access: 'owner',
  summary: 'Show the main key, masked',
  responses: { 200: () => z.object({ api_key_masked: z.string(), api_key_retrievable: z.boolean(), created_at: timestamp() }) },
  errors: [404],
});

export const keyUsage = endpoint({
  name: 'keys.usage',
  method: 'GET',
  path: '/api-keys/usage',
  section: 'API Keys',
  access: 'owner',
  summary: "Show how much of the main key's rate limit is used",
  responses: {
    200: () =>
      z.object({
        usage: z.object({
          limit: z.int(),
          window_seconds: z.int(),
          used: z.int(),
          remaining: z.int(),
          window_resets_at: timestamp(),
        }),
        note: z.string().optional(),
      }),
  },
});

export const rotateMainKey = endpoint({
  name: 'keys.rotate',
  method: 'POST',
  path: '/api-keys/rotate',
  section: 'API Keys',
  access: 'owner',
  summary: 'Replace the main key; the old key stops working at once',
  responses: { 200: () => z.object({ api_key: secret(z.string()), message: z.string() }) },
  errors: [404, 409],
});

export const revokeMainKey = endpoint({
  name: 'keys.revokeCurrent',
  method: 'DELETE',
  path: '/api-keys/current',
  section: 'API Keys',
  access: 'owner',
  summary: 'Revoke the main key; only the app can create a new one',
  responses: { 200: () => z.object({ revoked: z.literal(true), message: z.string() }) },
  errors: [404, 409],
});

export const listKeys = endpoint({
  name: 'keys.list',
  hasLargeAnswer: true,
  method: 'GET',
  path: '/api-keys',
  section: 'API Keys',
  access: 'owner',
  summary: 'List the scoped keys, newest first, including revoked ones',
  responses: { 200: () => z.object({ api_keys: z.array(scopedKey()) }) },
});

export const getKey = endpoint({
  name: 'keys.get',
  method: 'GET',
  path: '/api-keys/{id}',
  section: 'API Keys',
  access: 'owner',
  summary: 'Show a scoped key, also one that is not among the newest 200',
  responses: { 200: () => z.object({ key: scopedKey() }) },
  errors: [404],
});

export const createKey = endpoint({
  name: 'keys.create',
  method: 'POST',
  path: '/api-keys',
  section: 'API Keys',
  access: 'owner',
  summary: 'Create a scoped key; its value is shown once',
  body: () =>
    z.object({
      label: label().optional().describe('a name for the key'),
      scopes: scopesInput().optional().describe('what the key may do'),
      expires_at: instant().nullable().optional().meta({ description: 'when the key stops working', defaultText: 'never' }),
    }),
  responses: { 201: () => z.object({ api_key: secret(z.string()), key: newKey(), message: z.string() }) },
  errors: ['invalid_scopes'],
});

export const updateKey = endpoint({
  name: 'keys.update',
  method: 'PATCH',
  path: '/api-keys/{id}',
  section: 'API Keys',
  access: 'owner',
  summary: 'Update the label, scopes or expiry of a scoped key; scopes are replaced as a whole',
  body: () =>
    z.object({
      label: label().optional().describe('a name for the key'),
      scopes: scopesInput().optional().describe('what the key may do'),
      expires_at: instant().nullable().optional().meta({ description: 'when the key stops working', defaultText: 'never' }),
    }),
  responses: { 200: () => z.object({ key: scopedKey() }) },
  errors: ['invalid_scopes', 404],
});

export const revokeKey = endpoint({
  name: 'keys.revoke',
  method: 'DELETE',
  path: '/api-keys/{id}',
  section: 'API Keys',
  access: 'owner',
  summary: 'Revoke a scoped key; it stays in the list',
  responses: { 200: () => z.object({ revoked: z.literal(true), id: z.string(), message: z.string() }) },
  errors: [404],
});

export const keyEndpoints = [
  currentKey,
  keyUsage,
  rotateMainKey,
  revokeMainKey,
  listKeys,
  getKey,
  createKey,
  updateKey,
  revokeKey,
] as const;
