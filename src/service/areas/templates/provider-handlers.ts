import { isAuthentication, presetComponents } from '../../../contract/areas/templates/authentication.ts';
import { characterCount } from '../../../contract/text/character-count.ts';
import type { createProviderTemplate, TemplateComponent } from '../../../contract/areas/provider-templates/endpoints.ts';
import { variablesProblem } from '../../../contract/areas/templates/checks.ts';
import { normalizeTemplate, variablesOf } from '../../../contract/areas/templates/placeholders.ts';
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

/**
 * The components of a new template.
 * @throws ApiError 400 when the text is missing or too long, or the declared variables do not match it
 */
function readComponents(given: Body<typeof createProviderTemplate>): readonly TemplateComponent[] {
  const { body, components = [], variables } = given;
  const category = localCategory(given.category ?? 'MARKETING');
  const text = body ?? bodyOf({ components });
  const isPreset = isAuthentication(category);
  if (text.trim() === '' && !isPreset) throw providerRefusal('it has no BODY with a text');
  if (characterCount(text) > templateBodyLength)
    throw providerRefusal(`the text of its BODY is longer than ${templateBodyLength} characters`);
  // The components of an authentication template need no text, because the provider fixes it.
  if (text.trim() === '') {
    if (variables && variables.length > 1) throw problemError({ field: 'variables', reason: 'must have exactly one variable' });
    return presetComponents(variables?.[0] ?? 'code');
  }
  // A header can have variables too.
  const used = body ?? (isPreset ? text : components.flatMap((each) => (typeof each.text === 'string' ? each.text : [])).join('\n'));
  const problem = variablesProblem({ body: used, variables, category });
  if (problem) throw problemError(problem);
  if (isPreset) return presetComponents(variables?.[0] ?? variablesOf(text)[0] ?? 'code');
  return body === undefined ? components : componentsAround(normalizeTemplate(body), given);
}

function componentsAround(text: string, { header, footer, buttons }: Body<typeof createProviderTemplate>): TemplateComponent[] {
  return [
    ...(header === undefined ? [] : [line('HEADER', header)]),
    { type: 'BODY', text },
    ...(footer === undefined ? [] : [line('FOOTER', footer)]),
    ...(buttons === undefined ? [] : [{ type: 'BUTTONS', buttons }]),
  ];
}

/** A header or a footer, from its text or from an object in the provider's format. */
function line(type: string, given: string | object): TemplateComponent {
  if (typeof given !== 'string') return { ...given, type };
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
    if ((await deleteOwnTemplates(db, account.id, { name, ...(id !== undefined && { id }) })) === 0) throw notFound('template');
    return { name };
  },
};
