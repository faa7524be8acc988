import type { ProviderCategory, TemplateComponent } from '../../../contract/areas/provider-templates/endpoints.ts';
import type { TemplateCategory, TemplateStatus, TemplateType } from '../../../contract/areas/templates/template.ts';
import { accountTable } from '../../store/account-table.ts';
import { instant, integer, json, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

export const templates = accountTable(
  'templates',
  { prefix: 'tpl', record: 'template' },
  {
    name: text(),
    /** With all placeholders in double braces. */
    body: text(),
    language: text(),
    variables: json<readonly string[]>(),
    status: text<TemplateStatus>().default('draft'),
    /** The id at the provider. */
    sid: text().nullable(),
    type: text<TemplateType>().default('general'),
    category: text<TemplateCategory>().default('marketing'),
    rejection_reason: text().nullable(),
    campaign_id: text().nullable(),
    submitted_at: instant().nullable(),
    approved_at: instant().nullable(),
    /** The number of submissions. The review of an earlier submission has no effect. */
    submissions: integer().default(0).internal(),
  },
);

export type Template = Row<typeof templates>;

/** The templates in an account's own provider account. */
export const providerTemplates = table('provider_templates', {
  seq: integer().default(0).internal(),
  id: text(),
  account_id: text().internal(),
  name: text(),
  language: text(),
  category: text<ProviderCategory>(),
  status: text<TemplateStatus>(),
  rejection_reason: text().nullable(),
  components: json<readonly TemplateComponent[]>(),
  created_at: instant(),
  updated_at: instant(),
});

export type ProviderTemplate = Row<typeof providerTemplates>;

declare module '../../store/database.ts' {
  interface Database {
    templates: StoredRow<typeof templates>;
    provider_templates: StoredRow<typeof providerTemplates>;
  }
}
