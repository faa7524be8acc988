import { digits } from '../../../contract/text/counted.ts';
import { limits } from '../../../contract/limits.ts';
import { ApiError, notFound } from '../../errors.ts';
import { checkRoom } from '../../store/check-room.ts';
import type { Db } from '../../store/database.ts';
import { newest } from '../../store/newest.ts';
import { campaigns } from '../campaigns/table.ts';
import { type Template, templates } from './table.ts';

/** The channel on which templates are sent without a review. */
export const unreviewedChannel = 'chatapp_web';

/** A template as answers show it. */
export function templateRecord(template: Template) {
  const { created_at: createdAt, updated_at: updatedAt, submitted_at, approved_at, ...fields } = templates.show(template);
  return { ...fields, variables: [...fields.variables], date_created: createdAt, date_updated: updatedAt, submitted_at, approved_at };
}

/** Creates a template. @throws ApiError 400 when the account has as many templates as it can have */
export async function createTemplate(
  db: Db,
  accountId: string,
  fields: Parameters<typeof templates.create>[2],
  now: number,
): Promise<Template> {
  const full = `The account has ${digits(limits.templates)} templates, as many as it can have: delete one first`;
  await checkRoom(db, { table: 'templates', column: 'account_id', owner: accountId }, limits.templates, full);
  return await templates.create(db, accountId, fields, now);
}

/** Reads all templates of an account, newest first. */
export async function allTemplates(db: Db, accountId: string): Promise<Template[]> {
  return await templates.list(db, accountId, undefined, Number.MAX_SAFE_INTEGER);
}

/** Whether the template is being reviewed. */
export function isInReview({ status }: Pick<Template, 'status'>): boolean {
  return status === 'received' || status === 'pending';
}

/** The campaign of a template; undefined when it has none. */
export async function campaignOf(db: Db, { account_id: accountId, campaign_id: id }: Template) {
  return id === null ? undefined : await campaigns.find(db, accountId, id);
}

/** Checks that an account has a template. @throws ApiError 404 */
export async function requireTemplate(db: Db, accountId: string, id: string): Promise<void> {
  await templates.require(db, accountId, id);
}

/** Reads a template for sending. @throws ApiError 404 for an unknown one, 400 when it is not approved */
export async function requireApproved(db: Db, accountId: string, id: string): Promise<Template> {
  const template = await templates.require(db, accountId, id);
  checkApproved(template);
  return template;
}

/**
 * Reads a template by name for sending. If several have the name, the newest approved one is used (rule templates.35).
 * @throws ApiError 404 when no template has the name, 400 when none of them is approved
 */
export async function requireApprovedByName(db: Db, accountId: string, name: string): Promise<Template> {
  const named = await newest(db, templates, { account_id: accountId, name }, undefined, Number.MAX_SAFE_INTEGER);
  const template = named.find(({ status }) => status === 'approved') ?? named[0];
  if (!template) throw notFound('template');
  checkApproved(template);
  return template;
}

/** @throws ApiError 400 when the template is not approved */
function checkApproved({ status }: Template): void {
  if (status !== 'approved')
    throw new ApiError(400, `The template is ${status === 'draft' ? 'a draft' : status}: only an approved one can be sent`, {
      reason: 'template_not_approved',
    });
}
