import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { email, filledText, id, name, phoneNumber, text, timestamp } from '../../fields.ts';
import { oneOf } from '../../issues.ts';
import { limits } from '../../limits.ts';
import { isSupportedLanguage } from './languages.ts';
import { template, templateBodyLength, templateCategories, templateStatuses, templateTypes } from './template.ts';

/** Where an account's templates are managed: by the service, or in the account's own provider account. */
export const templateProviders = ['managed', 'own_account'] as const;

/** The language of a template. */
export const templateLanguage = () =>
  z
    .string()
    .refine(isSupportedLanguage, { error: 'must be a supported language, such as en or pt_BR' })
    .describe('the language, as en or pt_BR');

/** The text of a template. */
export const templateBody = () => filledText(templateBodyLength).describe('the text, with placeholders such as {{first_name}}');

/** The names of the variables of a template. */
export const templateVariables = () =>
  z
    .array(text(limits.nameLength))
    .max(limits.templateVariables)
    .meta({ description: 'its variables in their order', defaultText: 'those of the body' });

const templateName = () => name().describe('the name of the template');

const shared = { section: 'Templates', access: 'account', feature: 'chatapp_templates' } as const;
const edit = { ...shared, permission: 'templates.edit' } as const;
const byId = '/chatapp-templates/{templateId}';

export const getProvider = endpoint({
  ...shared,
  name: 'templates.provider',
  method: 'GET',
  path: '/chatapp-templates/provider',
  summary: 'Show where the templates of the account come from',
  responses: {
    200: () =>
      z.object({
        provider: z.enum(templateProviders),
        lane: z.enum(['own_cloud_api', 'shared_embedded']).nullable(),
        waba_id: z.string().nullable(),
        templates_enabled: z.boolean(),
      }),
  },
});

export const syncTemplates = endpoint({
  ...edit,
  name: 'templates.sync',
  method: 'POST',
  path: '/chatapp-templates/provider-sync',
  summary: 'Import the templates of your own account at the provider, and refresh their status',
  responses: {
    200: () => z.object({ provider: z.enum(templateProviders), imported: z.int(), updated: z.int(), total: z.int() }),
  },
});

export const listTemplates = endpoint({
  ...shared,
  name: 'templates.list',
  hasLargeAnswer: true,
  method: 'GET',
  path: '/chatapp-templates',
  summary: 'List the templates, newest first',
  responses: {
    200: () => z.object({ data: z.array(template().pick({ id: true, name: true, status: true, language: true, body: true })) }),
  },
});

export const getTemplate = endpoint({
  ...shared,
  name: 'templates.get',
  method: 'GET',
  path: byId,
  summary: 'Show a template',
  responses: { 200: () => z.object({ template: template() }) },
  errors: [404],
});

export const createOpening = endpoint({
  ...edit,
  name: 'templates.opening',
  method: 'POST',
  path: '/chatapp-templates',
  summary: 'Create the opening message of a campaign, and submit it where its channel needs a review',
  body: () =>
    z.object({
      campaign_id: id().describe('the campaign that the message opens'),
      name: templateName(),
      language: templateLanguage(),
      body: templateBody(),
      variables: templateVariables().optional(),
    }),
  responses: {
    200: () => z.object({ campaign_status: z.enum([...templateStatuses, 'not_applicable']), template_sid: z.string().nullable() }),
  },
  errors: [404],
});

/** The statuses that a new template can have. */
const newStatuses = ['draft', 'submitted'] as const;

export const createTemplate = endpoint({
  ...edit,
  name: 'templates.create',
  method: 'POST',
  path: '/chatapp-templates/docs',
  summary: 'Create a template as a draft, or submit it at once',
  body: () =>
    z.object({
      name: templateName(),
      language: templateLanguage(),
      body: templateBody(),
      variables: templateVariables().optional(),
      status: z.enum(newStatuses).optional().meta({ description: 'keep a draft, or submit it at once', defaultText: newStatuses[0] }),
      type: z.enum(templateTypes).optional().meta({ description: 'what it is for', defaultText: 'general' }),
      category: z
        .enum(templateCategories)
        .optional()
        .meta({ description: 'its category, which decides the price', defaultText: 'marketing' }),
      campaign_id: id().nullable().optional().describe('the campaign that its messages belong to'),
    }),
  responses: { 200: () => z.object({ template_id: z.string(), status: z.enum(templateStatuses) }) },
  errors: [404],
});

export const updateTemplate = endpoint({
  ...edit,
  name: 'templates.update',
  method: 'PUT',
  path: byId,
  summary: 'Update a draft or a rejected template; it is not submitted again',
  body: () =>
    z.object({
      name: templateName().optional(),
      language: templateLanguage().optional(),
      body: templateBody().optional(),
      variables: templateVariables().optional(),
    }),
  responses: { 200: () => z.object({ template_id: z.string() }) },
  errors: [404],
});

export const submitTemplate = endpoint({
  ...edit,
  name: 'templates.submit',
  method: 'POST',
  path: `${byId}/submit`,
  summary: 'Submit a draft or a rejected template for review',
  responses: {
    200: () => z.object({ template_id: z.string(), status: z.enum(templateStatuses), sid: z.string().nullable() }),
  },
  errors: [404],
});

export const getTemplateStatus = endpoint({
  ...shared,
  name: 'templates.status',
  method: 'GET',
  path: `${byId}/status`,
  summary: 'Show the review status of a template',
  responses: {
    200: () =>
      z.object({
        template_id: z.string(),
        name: z.string(),
        status: z.enum(templateStatuses),
        sid: z.string().nullable(),
        rejection_reason: z.string().nullable(),
        date_updated: timestamp(),
      }),
  },
  errors: [404],
});

export const deleteTemplate = endpoint({
  ...edit,
  name: 'templates.delete',
  method: 'DELETE',
  path: byId,
  summary: 'Delete a template, and its copy on your own account at the provider',
  responses: { 200: () => z.object({ template_id: z.string(), note: z.string() }) },
  errors: [404],
});

export const sendTemplate = endpoint({
  ...shared,
  name: 'templates.send',
  method: 'POST',
  path: '/chatapp-templates/send',
  permission: 'messages.send',
  summary: 'Send an approved template to a contact, or to a phone number, which becomes a contact',
  body: () =>
    z
      .object({
        contactId: id().optional().describe('the contact to send to'),
        phoneNumber: phoneNumber().optional(),
        whatsappTemplateId: id().optional().describe('the template to send'),
        templateName: name().optional().describe('the name of the template to send'),
        firstName: text(limits.nameLength).optional().describe('the first name of a new contact'),
        lastName: text(limits.nameLength).optional().describe('the last name of a new contact'),
        email: email().optional().describe('the email address of a new contact'),
        variables: z
          .record(z.string(), z.union([text(), z.number()]))
          .optional()
          .describe('values by the names of variables; they override the values of the contact'),
      })
      .refine(...oneOf('contactId', 'phoneNumber'))
      .refine(...oneOf('whatsappTemplateId', 'templateName')),
  responses: { 200: () => z.object({ message_id: z.string(), contact_id: z.string() }) },
  errors: [402, 404, 422],
});

export const templateEndpoints = [
  getProvider,
  syncTemplates,
  listTemplates,
  getTemplate,
  createOpening,
  createTemplate,
  updateTemplate,
  submitTemplate,
  getTemplateStatus,
  deleteTemplate,
  sendTemplate,
] as const;
