import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { filledText, id, name, text, timestamp } from '../../fields.ts';
import { oneOf } from '../../issues.ts';
import { limits } from '../../limits.ts';
import { templateBody, templateLanguage, templateVariables } from '../templates/endpoints.ts';
import { templateStatuses } from '../templates/template.ts';

/** The categories, with the provider's names. */
export const providerCategories = ['MARKETING', 'UTILITY', 'AUTHENTICATION'] as const;

export type ProviderCategory = (typeof providerCategories)[number];

/** A component of a template, such as its body or its buttons. The provider defines its other fields. */
const component = () => z.looseObject({ type: text(limits.nameLength) });

export type TemplateComponent = z.output<ReturnType<typeof component>>;

/** A header or a footer: its text, or an object in the provider's format, for example for an image. */
const line = () => z.union([filledText(60), z.looseObject({})]);

const providerTemplate = () =>
  z.object({
    id: z.string().describe('the id at the provider, in digits'),
    name: z.string(),
    language: z.string(),
    category: z.enum(providerCategories),
    status: z.enum(templateStatuses),
    rejection_reason: z.string().nullable(),
    components: z.array(component()).describe('the parts of the template, each with a type: HEADER, BODY, FOOTER or BUTTONS'),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const shared = { section: 'Templates', access: 'account', feature: 'chatapp_templates' } as const;
const edit = { ...shared, permission: 'templates.edit' } as const;

export const listProviderTemplates = endpoint({
  ...shared,
  name: 'provider-templates.list',
  hasLargeAnswer: true,
  method: 'GET',
  path: '/provider-templates',
  summary: 'List the templates of your own account at the provider, newest first',
  query: () => z.object({ name: text(limits.nameLength).optional().describe('only templates with exactly this name') }),
  responses: { 200: () => z.object({ templates: z.array(providerTemplate()) }) },
});

export const createProviderTemplate = endpoint({
  ...edit,
  name: 'provider-templates.create',
  method: 'POST',
  path: '/provider-templates',
  summary: 'Create a template on your own account at the provider, which reviews it',
  body: () =>
    z
      .object({
        name: name().describe('the name of the template'),
        language: templateLanguage(),
        body: templateBody().optional(),
        components: z
          .array(component())
          .min(1)
          .max(limits.templateComponents)
          .optional()
          .describe('the whole template, in the place of body'),
        variables: templateVariables().optional(),
        category: z.enum(providerCategories).optional().meta({ description: 'its category', defaultText: 'MARKETING' }),
        header: line().optional().describe('a line above the body'),
        footer: line().optional().describe('a line below the body'),
        buttons: z.array(z.looseObject({})).max(limits.templateButtons).optional().describe('buttons below the message'),
      })
      .refine(...oneOf('body', 'components')),
  responses: { 201: () => z.object({ template: providerTemplate() }) },
});

export const deleteProviderTemplate = endpoint({
  ...edit,
  name: 'provider-templates.delete',
  method: 'DELETE',
  path: '/provider-templates/{name}',
  summary: 'Delete a template on your own account at the provider, in every language or in one',
  query: () => z.object({ hsm_id: id().optional().describe("delete only this language, by the template's id at the provider") }),
  responses: { 200: () => z.object({ name: z.string() }) },
  errors: [404],
});

export const providerTemplateEndpoints = [listProviderTemplates, createProviderTemplate, deleteProviderTemplate] as const;
