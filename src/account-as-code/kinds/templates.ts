import * as z from 'zod';
import {
  createTemplate,
  deleteTemplate,
  getTemplate,
  listTemplates,
  submitTemplate,
  updateTemplate,
} from '../../contract/areas/templates/endpoints.ts';
import { normalizeTemplate } from '../../contract/areas/templates/placeholders.ts';
import { inParallel } from '../../contract/in-parallel.ts';
import { someOf } from '../../contract/text/some-of.ts';
import { fieldsOfRow } from './rows.ts';
import { type Kind, type LiveRecord, readsAtOnce, type Rows } from '../kind.ts';
import { once, requestFields } from './schema.ts';
import { type Fields, isSame } from '../values.ts';

/** The fields that can only be set on creation. */
const ofCreation = once(() => requestFields(createTemplate, ['status', 'campaign_id']));

/** Templates, except the opening messages of campaigns. Approved templates and templates in review are locked. */
export const templates: Kind = {
  name: 'templates',
  noun: 'template',
  mainText: 'body',
  schema: () => z.strictObject({ ...ofCreation(), submit: z.literal(true).optional().describe('submit it for review') }),
  normalise: (fields) => (typeof fields.body === 'string' ? { ...fields, body: normalizeTemplate(fields.body) } : fields),
  endpoints: [listTemplates, getTemplate, createTemplate, updateTemplate, submitTemplate, deleteTemplate],
  identity: {
    key: ['name', 'language'],
  },
  reading: {
    list: async (client) => {
      const { data } = await client.call(listTemplates, {});
      return await inParallel(
        data,
        readsAtOnce,
        async ({ id }) => (await client.call(getTemplate, { params: { templateId: id } })).template,
      );
    },
    listRequests: (count) => 1 + count('templates'),
    get: async (client, id) => (await client.call(getTemplate, { params: { templateId: id } })).template,
    leavesOut: ({ campaign_id: campaign }) => (typeof campaign === 'string' ? {} : undefined),
    notDumped: ofCampaigns,
    fields: (row) => [{ ...fieldsOfRow(row, Object.keys(ofCreation())), ...(row.status !== 'draft' && { submit: true }) }],
  },
  writing: {
    step: 4,
    required: () => ['body'],
    create: async ({ client, fields: { submit, ...fields } }) => {
      const body = { ...fields, ...(submit === true && { status: 'submitted' as const }) };
      return { id: (await client.call(createTemplate, { body })).template_id };
    },
    update: async ({ client, fields: { submit, ...fields }, live: { id } }) => {
      const templateId = id;
      if (Object.keys(fields).length > 0) await client.call(updateTemplate, { params: { templateId }, body: fields });
      if (submit === true) await client.call(submitTemplate, { params: { templateId } });
      return undefined;
    },
    // A rejected template is submitted again when its text changes.
    writesAgain: ({ submit }, changed, { row }) => (submit === true && row.status === 'rejected' && 'body' in changed ? { submit } : {}),
    remove: async ({ client, live: { id } }) => {
      await client.call(deleteTemplate, { params: { templateId: id } });
    },
    refuses,
  },
  loss: {
    ofDeletion: ({ row }) => (row.status === 'approved' ? 'it is approved' : undefined),
    undo: ({ action, after }) => (action === 'update' && after.submit === true ? 'none' : undefined),
    notRestored: (action, after) => {
      if (action === 'delete') return 'The approval of a template cannot be restored: a recreated template is reviewed again.';
      return action !== 'create' && after?.submit === true ? 'The submission of a template cannot be undone.' : undefined;
    },
    irreversible: ['submit'],
  },
};

/** Notes about templates that belong to campaigns. They are data, not configuration. */
function ofCampaigns(rows: Rows): string[] {
  const left = (rows.get('templates') ?? []).filter(({ campaign_id: campaign }) => typeof campaign === 'string');
  if (left.length === 0) return [];
  const names = left.map(({ name, language }) => `'${String(name)}' (${String(language)})`);
  return [`Templates that belong to a campaign are not dumped: ${someOf(names.sort())}.`];
}

/** Why a live template cannot be changed to match the files; undefined if it can. */
function refuses(fields: Fields, live: LiveRecord | undefined): string | undefined {
  if (!live) return undefined;
  for (const field of ['type', 'category'])
    if (field in fields && !isSame(fields[field], live.fields[field])) return `its ${field} cannot change after it is created`;
  const { status } = live.row;
  if (status === 'approved') return 'it is approved, so it cannot change: delete it, or add a template with another name';
  if (status === 'received' || status === 'pending') return `it is in review (${status}): wait until the review ends`;
  return undefined;
}
