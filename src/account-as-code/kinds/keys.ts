import * as z from 'zod';
import { createKey, listKeys, revokeKey, updateKey } from '../../contract/areas/keys/endpoints.ts';
import { iso, parseInstant } from '../../contract/time/instants.ts';
import { findSection } from '../../contract/sections.ts';
import { limits } from '../../contract/limits.ts';
import { fieldsOfRow, sorted } from './rows.ts';
import type { Kind } from '../kind.ts';
import { requestFields } from './schema.ts';
import { type Fields, isFields } from '../values.ts';

/** Scoped keys of the account itself. Their values are written to a file once and cannot be read again. */
export const keys: Kind = {
  name: 'keys',
  noun: 'key',
  file: 'keys.yaml',
  schema: () => z.strictObject(requestFields(createKey)),
  normalise: (fields) => ({
    ...fields,
    ...(typeof fields.expires_at === 'string' && { expires_at: iso(parseInstant(fields.expires_at) ?? null) ?? fields.expires_at }),
    ...(isFields(fields.scopes) && { scopes: normalScopes(fields.scopes) }),
  }),
  completed: ({ scopes, ...fields }, live) => {
    const others = live?.scopes ?? initialScopes;
    return { ...fields, ...(isFields(scopes) && { scopes: { ...(isFields(others) && others), ...scopes } }) };
  },
  endpoints: [listKeys, createKey, updateKey, revokeKey],
  identity: { key: ['label'] },
  reading: {
    list: async (client) => (await client.call(listKeys, {})).api_keys,
    leavesOut: ({ revoked }) => (revoked === true ? {} : undefined),
    fields: (row) => [fieldsOfRow(row, ['label', 'scopes', 'expires_at'])],
  },
  writing: {
    step: 4,
    create: async ({ client, fields }) => {
      const { key, api_key: value } = await client.call(createKey, { body: fields });
      return { id: key.id, secret: { what: `the key '${key.label}'`, value } };
    },
    update: async ({ client, fields, live: { id } }) => {
      await client.call(updateKey, { params: { id }, body: fields });
      return undefined;
    },
    remove: async ({ client, live: { id } }) => {
      await client.call(revokeKey, { params: { id } });
    },
  },
  loss: {
    isCredential: true,
    secret: { isMade: (action) => action === 'create' },
    undo: ({ action }) => (action === 'delete' ? 'none' : undefined),
    notRestored: (action) => (action === 'delete' ? 'A deleted key cannot be restored.' : undefined),
  },
};

/** The scopes of a new key, where its creation does not name them. */
const initialScopes: Fields = {
  read_only: true,
  tags: ['Analytics'],
  sub_account_ids: [],
  rate_limit_per_min: limits.scopedKeyDefaultRequestsPerMinute,
};

function normalScopes({ tags, sub_account_ids: ids, ...scopes }: Fields): Fields {
  // Section names are case-insensitive.
  const sections = Array.isArray(tags) ? tags.map((name) => findSection(String(name)) ?? String(name)) : tags;
  return { ...scopes, ...(tags !== undefined && { tags: sorted(sections) }), ...(ids !== undefined && { sub_account_ids: sorted(ids) }) };
}
