import * as contract from '../../contract/areas/snapshots/endpoints.ts';
import { subAccountLookup } from '../lookups/accounts.ts';
import { snapshotLookup } from '../lookups/snapshots.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import type { Noun, Verb } from '../verb/noun.ts';

const columns = ['id', 'name', 'counts', 'bytes', 'description', 'account_id', 'created_at', 'updated_at'] as const;

const snapshot = { param: 'id', name: 'snapshot', summary: 'the id or the name of a snapshot', lookup: snapshotLookup } as const;

const shown = { field: 'snapshot', columns } as const;

const apply: Verb = {
  name: 'apply',
  summary: 'Apply a snapshot to sub-accounts; nothing is deleted',
  examples: [
    ["msgctl snapshots apply Standard 'Client 01'", 'creates what the account does not have, and leaves the rest'],
    ["msgctl snapshots apply Standard 'Client*' --on-conflict update", 'to several: also gives records of the same name its fields'],
    ['msgctl snapshots apply Standard all --yes -o json', 'to all sub-accounts, in scripts'],
  ],
  arguments: [
    { name: 'snapshot', summary: snapshot.summary, lookup: snapshotLookup },
    {
      name: 'account',
      summary: 'sub-accounts by id or name; also patterns, and `all`',
      completes: 'sub-account',
      isRepeated: true,
      fills: ['account_ids'],
    },
  ],
  fields: ['on_conflict'],
  endpoint: contract.applySnapshot,
  takesInput: false,
  shown: {
    columns: ['account_id', 'account', 'status', 'created', 'updated', 'skipped', 'needs_attention', 'error'],
    table: ['account', 'status', 'created', 'updated', 'skipped', 'error'],
    drawing: async () => (await import('./snapshots/draw.ts')).drawApplied,
  },
  confirm: async ({ session, values, options }) =>
    session && (await (await import('./snapshots/apply.ts')).askToApply(session, values, options)),
  run: async (session, values, options) => await (await import('./snapshots/apply.ts')).apply(session, values, options),
};

export const snapshots: Noun = {
  name: 'snapshots',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listSnapshots,
      examples: [['msgctl snapshots list', 'the snapshots of the agency, newest first']],
      shown: { columns },
    }),
    callVerb({
      name: 'create',
      endpoint: contract.createSnapshot,
      examples: [
        ["msgctl snapshots create Standard --account 'Client 01'", 'the configuration of a client'],
        ['msgctl snapshots create Agents --include agents,rules', 'some kinds, with the tags and functions that they need'],
      ],
      arguments: [{ field: 'name' }],
      fields: ['description', { field: 'account_id', flag: 'account', lookup: subAccountLookup }, 'include'],
      shown,
    }),
    callVerb({
      name: 'show',
      endpoint: contract.getSnapshot,
      examples: [['msgctl snapshots show Standard', 'how many records of each kind it has']],
      arguments: [snapshot],
      shown,
    }),
    deleteVerb({
      lookup: snapshotLookup,
      endpoint: contract.deleteSnapshot,
      examples: [['msgctl snapshots delete Standard', 'asks for confirmation; accounts stay as they are']],
    }),
    apply,
  ],
};
