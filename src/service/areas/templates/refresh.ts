import { normalizeTemplate, variablesOf } from '../../../contract/areas/templates/placeholders.ts';
import { enqueueOnce } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import type { Journal } from '../activity/journal.ts';
import { tellDecision } from './decision.ts';
import { bodyOf, findOwnTemplate, localCategory, ownTemplates } from './own-account.ts';
import { allTemplates, isInReview } from './records.ts';
import { type ProviderTemplate, type Template, templates } from './table.ts';

// A sync imports templates that were created at the provider. It also copies the status of templates from there. While a template
// is in review, its status is also copied once an hour.

const refreshInterval = 3_600_000;

/** Queues the next refresh of a template, unless one is already queued. */
export async function refreshLater(db: Db, { id, account_id: accountId }: Template, now: number): Promise<void> {
  await enqueueOnce(db, { kind: 'template_review', accountId, payload: { refresh: id }, key: id, dueAt: now + refreshInterval });
}

/** Copies the status of a template from the provider. @returns the updated template */
export async function refreshTemplate(db: Db, journal: Journal, template: Template): Promise<Template> {
  return await copyStatus(db, journal, template, await findOwnTemplate(db, template.account_id, template.sid ?? ''));
}

/** @param own the template in the own provider account, if it exists there */
async function copyStatus(db: Db, journal: Journal, template: Template, own: ProviderTemplate | undefined): Promise<Template> {
  const change = changeOf(template, own);
  if (!change) return template;
  const changed = await templates.change(db, template.account_id, template.id, change, journal.now);
  if (changed.status !== template.status) tellDecision(journal, changed);
  return changed;
}

/**
 * The changes that a refresh makes. A template that was deleted at the provider becomes a draft, which can be submitted again.
 */
function changeOf(template: Template, own: ProviderTemplate | undefined): Partial<Template> | undefined {
  if (!own) return { status: 'draft', sid: null, rejection_reason: null, approved_at: null };
  const { status, rejection_reason: reason, updated_at: at } = own;
  if (status === template.status && reason === template.rejection_reason) return undefined;
  return { status, rejection_reason: reason, ...(status === 'approved' && { approved_at: at }) };
}

/** Whether a template is, or was, in the own provider account. Only ids from there are numeric. */
function isOfOwnAccount({ sid }: Template): boolean {
  return sid !== null && /^\d+$/.test(sid);
}

/**
 * Imports templates that exist only in the own provider account, and refreshes the others.
 * @returns the numbers of imported and changed templates
 */
export async function syncOwnAccount(db: Db, journal: Journal): Promise<{ imported: number; updated: number }> {
  const accountId = journal.account.id;
  const known = (await allTemplates(db, accountId)).filter(isOfOwnAccount);
  const own = new Map((await ownTemplates(db, accountId)).map((each) => [each.id, each]));
  let updated = 0;
  for (const template of known) if ((await copyStatus(db, journal, template, own.get(template.sid ?? ''))) !== template) updated++;
  const ids = new Set(known.map(({ sid }) => sid));
  // Oldest first.
  const missing = [...own.values()].filter(({ id }) => !ids.has(id)).reverse();
  for (const each of missing) await importTemplate(db, each, journal.now);
  return { imported: missing.length, updated };
}

async function importTemplate(db: Db, own: ProviderTemplate, now: number): Promise<void> {
  const { account_id: accountId, id: sid, name, language, status, rejection_reason, created_at: submitted, updated_at: decided } = own;
  const body = normalizeTemplate(bodyOf(own));
  const fields = {
    name,
    language,
    body,
    variables: variablesOf(body),
    category: localCategory(own.category),
    status,
    sid,
    rejection_reason,
  };
  const times = { submitted_at: submitted, approved_at: status === 'approved' ? decided : null };
  const template = await templates.create(db, accountId, { ...fields, ...times }, now);
  if (isInReview(template)) await refreshLater(db, template, now);
}
