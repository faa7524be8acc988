import { numberFor } from '../../store/randomness.ts';
import { createHash } from 'node:crypto';
import type { ProviderCategory, TemplateComponent } from '../../../contract/areas/provider-templates/endpoints.ts';
import { isAuthentication, presetComponents } from '../../../contract/areas/templates/authentication.ts';
import type { TemplateCategory } from '../../../contract/areas/templates/template.ts';
import { digits } from '../../../contract/text/counted.ts';
import { limits } from '../../../contract/limits.ts';
import { ApiError } from '../../errors.ts';
import type { Account } from '../../identity/accounts.ts';
import { checkRoom } from '../../store/check-room.ts';
import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import { findNewest, newest } from '../../store/newest.ts';
import { type ProviderTemplate, providerTemplates, type Template } from './table.ts';

// Simulates the account's own account at the provider. Managed connections have none.

/** Where the templates of an account are managed (rule templates.1). */
export function providerOf({ id, templateProvider }: Account) {
  if (templateProvider === 'managed') return { provider: 'managed', lane: null, waba_id: null, templates_enabled: true } as const;
  const isComplete = templateProvider === 'own_account';
  return {
    provider: 'own_account',
    lane: 'own_cloud_api',
    waba_id: isComplete ? ownAccountId(id) : null,
    templates_enabled: isComplete,
  } as const;
}

/** The id of the own account, with as many digits as the provider's ids. */
function ownAccountId(accountId: string): string {
  const digest = createHash('sha256').update(accountId).digest().readUIntBE(0, 6);
  return String(10 ** 15 + digest);
}

/** @throws ApiError 400 when the connection of the account's own provider account is not complete */
export function checkTemplatesEnabled({ templateProvider }: Account): void {
  if (templateProvider === 'own_account_incomplete')
    throw new ApiError(400, 'The connection to your own account at the provider is not complete');
}

/** @throws ApiError 400 when the account has no own account at the provider, or its connection is not complete */
export function checkOwnAccount(account: Account): void {
  if (account.templateProvider === 'managed')
    throw new ApiError(400, 'This account has a managed connection, and no account of its own at the provider', {
      reason: 'no_own_account',
    });
  checkTemplatesEnabled(account);
}

/** Reads templates of the own provider account, newest first. */
export async function ownTemplates(db: Db, accountId: string, name?: string): Promise<ProviderTemplate[]> {
  return await newest(db, providerTemplates, { account_id: accountId, name }, undefined, Number.MAX_SAFE_INTEGER);
}

/** Reads a template of the own provider account; undefined when no template has this id. */
export async function findOwnTemplate(db: Db, accountId: string, id: string): Promise<ProviderTemplate | undefined> {
  return await findNewest(db, providerTemplates, { account_id: accountId, id });
}

type NewProviderTemplate = Pick<ProviderTemplate, 'name' | 'language' | 'category' | 'components'>;

/**
 * Creates a template in the own provider account, in review.
 * @throws ApiError 400 when the provider refuses it: one with that name and language exists, or there are as many as there can be
 */
export async function addToOwnAccount(db: Db, accountId: string, fields: NewProviderTemplate, now: number): Promise<ProviderTemplate> {
  const full = `The provider refused the template: the account has ${digits(limits.providerTemplates)}, as many as it can have: delete one first`;
  await checkRoom(db, { table: 'provider_templates', column: 'account_id', owner: accountId }, limits.providerTemplates, full);
  const times = { created_at: now, updated_at: now };
  const row = { ...fields, ...times, id: newProviderId(), account_id: accountId, status: 'received', rejection_reason: null } as const;
  const [created] = await insertMany(db, providerTemplates, [row], 'on conflict (account_id, name, language) do nothing returning *');
  if (!created) throw refusal(fields);
  return created;
}

function refusal({ name, language }: Pick<ProviderTemplate, 'name' | 'language'>): ApiError {
  return providerRefusal(`there is already one named '${name}' in ${language}`);
}

/** The error for a template that the provider refuses. */
export function providerRefusal(reason: string): ApiError {
  return new ApiError(400, `The provider refused the template: ${reason}`);
}

/** The text of a provider template; empty when it has none. */
export function bodyOf({ components }: Pick<ProviderTemplate, 'components'>): string {
  const body = components.find(({ type }) => type.toUpperCase() === 'BODY');
  return typeof body?.text === 'string' ? body.text : '';
}

/** An id with as many digits as the provider's ids. */
function newProviderId(): string {
  return String(10 ** 15 + numberFor('own account', 2 ** 47));
}

/**
 * Submits a template to the own provider account. If it was submitted before, it keeps its id there.
 * @returns its id at the provider
 * @throws ApiError 400 when the provider refuses it
 */
export async function submitToOwnAccount(db: Db, template: Template, now: number): Promise<string> {
  const { account_id: accountId, name, language, sid } = template;
  const fields = { name, language, category: providerCategory(template.category), components: componentsOf(template) };
  const others = (await ownTemplates(db, accountId, name)).filter((each) => each.language === language && each.id !== sid);
  if (others.length > 0) throw refusal(template);
  const change = { ...fields, status: 'received', rejection_reason: null, updated_at: now } as const;
  const known = sid !== null && (await changeOwnTemplate(db, accountId, sid, change));
  return known ? sid : (await addToOwnAccount(db, accountId, fields, now)).id;
}

/** Changes a template of the own provider account. @returns whether a template with this id exists */
export async function changeOwnTemplate(db: Db, accountId: string, id: string, change: Partial<ProviderTemplate>): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('provider_templates')
    .set(providerTemplates.encode(change))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes templates of the own provider account. @returns the number of deleted templates */
export async function deleteOwnTemplates(
  db: Db,
  accountId: string,
  where: { readonly id?: string; readonly name?: string },
): Promise<number> {
  let query = db.deleteFrom('provider_templates').where('account_id', '=', accountId);
  if (where.id !== undefined) query = query.where('id', '=', where.id);
  if (where.name !== undefined) query = query.where('name', '=', where.name);
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

const localCategories = { MARKETING: 'marketing', UTILITY: 'utility', AUTHENTICATION: 'authentication' } as const;

/** The service's category for a provider template. */
export function localCategory(category: ProviderCategory): TemplateCategory {
  return localCategories[category];
}

function providerCategory(category: TemplateCategory): ProviderCategory {
  return isAuthentication(category) ? 'AUTHENTICATION' : category === 'utility' ? 'UTILITY' : 'MARKETING';
}

/** The components of a template in the provider's format. For an authentication template, they are fixed (rule templates.17). */
function componentsOf({ category, body, variables }: Pick<Template, 'category' | 'body' | 'variables'>): TemplateComponent[] {
  return isAuthentication(category) ? presetComponents(variables[0] ?? 'code') : [{ type: 'BODY', text: body }];
}
