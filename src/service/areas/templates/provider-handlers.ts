import type { createProviderTemplate, ProviderCategory, TemplateComponent } from '../../../contract/areas/provider-templates/endpoints.ts';
import { variablesProblem } from '../../../contract/areas/templates/checks.ts';
import { normalizeTemplate } from '../../../contract/areas/templates/placeholders.ts';
import { templateBodyLength } from '../../../contract/areas/templates/template.ts';
import type { Body } from '../../../contract/endpoint.ts';
import { notFound } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { enqueue } from '../../jobs/queue.ts';
import {
  addToOwnAccount,
  bodyOf,
  checkOwnAccount,
  deleteOwnTemplates,
  localCategory,
  ownTemplates,
  providerRefusal,
} from './own-account.ts';
import { ownReviewJob } from './review.ts';
import { problemError } from './submission.ts';
import { type ProviderTemplate, providerTemplates } from './table.ts';

/** A template of the own provider account as answers show it. */
function providerRecord(template: ProviderTemplate) {
  const { components, created_at, updated_at, ...fields } = providerTemplates.show(template);
  return { ...fields, components: [...components], created_at, updated_at };
}

/** The components of a new template. @throws ApiError 400 when the declared variables do not match the body */
function readComponents({
  body,
  components,
  variables,
  category = 'MARKETING',
  header,
  footer,
  buttons,
}: Body<typeof createProviderTemplate>) {
  if (body === undefined) return checkedComponents(components ?? [], category);
  const problem = variablesProblem({ body, variables, category: localCategory(category) });
  if (problem) throw problemError(problem);
  return [
    ...(header === undefined ? [] : [line('HEADER', header)]),
    { type: 'BODY', text: normalizeTemplate(body) },
    ...(footer === undefined ? [] : [line('FOOTER', footer)]),
    ...(buttons === undefined ? [] : [{ type: 'BUTTONS', buttons }]),
  ];
}

/**
 * @throws ApiError 400 when the body is missing or too long. An authentication template needs no body, because its text is fixed
 */
function checkedComponents(components: readonly TemplateComponent[], category: ProviderCategory): readonly TemplateComponent[] {
  const body = bodyOf({ components });
  if (body.trim() === '' && category !== 'AUTHENTICATION') throw providerRefusal('it has no BODY with a text');
  if (body.length > templateBodyLength) throw providerRefusal(`the text of its BODY is longer than ${templateBodyLength} characters`);
  return components;
}

/** A header or a footer, from its text or from an object in the provider's format. */
function line(type: string, given: string | object): TemplateComponent {
  if (typeof given !== 'string') return { type, ...given };
  return type === 'HEADER' ? { type, format: 'TEXT', text: given } : { type, text: given };
}

export const providerTemplateHandlers: AreaHandlers<'provider-templates'> = {
  'provider-templates.list': async ({ db, account, query }) => {
    checkOwnAccount(account);
    return { templates: (await ownTemplates(db, account.id, query.name)).map(providerRecord) };
  },

  'provider-templates.create': async ({ db, account, body, now }) => {
    checkOwnAccount(account);
    const { name, language, category = 'MARKETING' } = body;
    const template = await addToOwnAccount(db, account.id, { name, language, category, components: readComponents(body) }, now);
    await enqueue(db, ownReviewJob(template));
    return { template: providerRecord(template) };
  },

  'provider-templates.delete': async ({ db, account, params: { name }, query: { hsm_id: id } }) => {
    checkOwnAccount(account);
    if ((await deleteOwnTemplates(db, account.id, { name, ...(id !== undefined && { id }) })) === 0) throw notFound('Template');
    return { name };
  },
};
