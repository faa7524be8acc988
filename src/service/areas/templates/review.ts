import type { TemplateStatus } from '../../../contract/areas/templates/template.ts';
import { ApiError, notFound } from '../../errors.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { findNewest } from '../../store/newest.ts';
import { accountJob } from '../activity/account-job.ts';
import type { Journal } from '../activity/journal.ts';
import { tellDecision } from './decision.ts';
import { changeOwnTemplate, findOwnTemplate } from './own-account.ts';
import { isInReview } from './records.ts';
import { refreshLater, refreshTemplate } from './refresh.ts';
import { type ProviderTemplate, type Template, templates } from './table.ts';

/** When a review begins and ends after the submission (rule templates.25), in milliseconds. */
const begins = 5_000;
const ends = 60_000;

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    template_review:
      | { readonly template: string; readonly submission: number }
      | { readonly ownTemplate: string }
      | { readonly refresh: string };
  }
}

/** The job that makes the next step of a template's review. @param now when it was submitted */
export function reviewJob({ id, account_id: accountId, submissions }: Template, now: number) {
  return { kind: 'template_review', accountId, payload: { template: id, submission: submissions }, dueAt: now + begins } as const;
}

/** The job that makes the next step in the review of a template that was created at the provider. */
export function ownReviewJob({ id, account_id: accountId, created_at: submitted }: ProviderTemplate) {
  return { kind: 'template_review', accountId, payload: { ownTemplate: id }, dueAt: submitted + begins } as const;
}

/** Makes the next step of a review, or refreshes a template from the provider. */
export const templateReview = accountJob<'template_review'>(async (db, journal, { payload }) => {
  const { account, now } = journal;
  if ('refresh' in payload) return await refresh(db, journal, payload.refresh);
  if ('ownTemplate' in payload) return await reviewOwn(db, account.id, payload.ownTemplate, now);
  const template = await templates.find(db, account.id, payload.template);
  if (template?.submissions !== payload.submission || !isInReview(template)) return;
  const status = nextStatus(template.status);
  const reviewed = await decide(db, journal, template, status, null);
  if (isInReview(reviewed)) await enqueue(db, { ...reviewJob(reviewed, now), dueAt: (template.submitted_at ?? now) + ends });
});

async function reviewOwn(db: Db, accountId: string, id: string, now: number): Promise<void> {
  const template = await findOwnTemplate(db, accountId, id);
  if (!template || !isInReview(template)) return;
  const status = nextStatus(template.status);
  await changeOwnTemplate(db, accountId, id, { status, updated_at: now });
  if (isInReview({ status })) await enqueue(db, { ...ownReviewJob(template), dueAt: template.created_at + ends });
}

async function refresh(db: Db, journal: Journal, id: string): Promise<void> {
  const template = await templates.find(db, journal.account.id, id);
  if (template && isInReview(await refreshTemplate(db, journal, template))) await refreshLater(db, template, journal.now);
}

function nextStatus(status: TemplateStatus): TemplateStatus {
  return status === 'received' ? 'pending' : 'approved';
}

/** Sets the status of a template in review, both in the account and at the provider. */
async function decide(db: Db, journal: Journal, template: Template, status: TemplateStatus, reason: string | null): Promise<Template> {
  const { now } = journal;
  const { id, account_id: accountId, sid } = template;
  if (sid !== null) await changeOwnTemplate(db, accountId, sid, { status, rejection_reason: reason, updated_at: now });
  const approved = status === 'approved' ? { approved_at: now } : {};
  tellDecision(journal, { ...template, status });
  return await templates.change(db, accountId, id, { status, rejection_reason: reason, ...approved }, now);
}

/** The decision of a reviewer. */
interface Decision {
  readonly outcome: 'approved' | 'rejected';
  /** The reason of a rejection. */
  readonly reason?: string | undefined;
}

/** The template under review: a template of the account, or one that was created at the provider. */
type Reviewed = Pick<Template, 'id' | 'name' | 'status' | 'rejection_reason'>;

/**
 * Simulates the decision of a reviewer.
 * @param id the id of the template, or its id at the provider
 * @throws ApiError 404 for an unknown template, 409 when it is not in review
 */
export async function decideReview(db: Db, journal: Journal, id: string, { outcome, reason }: Decision): Promise<Reviewed> {
  const { now } = journal;
  const accountId = journal.account.id;
  const rejection = outcome === 'rejected' ? (reason ?? 'The reviewer gave no reason') : null;
  const template = (await templates.find(db, accountId, id)) ?? (await findNewest(db, templates, { account_id: accountId, sid: id }));
  const reviewed = template ?? (await findOwnTemplate(db, accountId, id));
  if (!reviewed) throw notFound('template');
  if (!isInReview(reviewed)) throw new ApiError(409, `The template is ${reviewed.status}: it is not in review`);
  if (template) return await decide(db, journal, template, outcome, rejection);
  const change = { status: outcome, rejection_reason: rejection } as const;
  await changeOwnTemplate(db, accountId, id, { ...change, updated_at: now });
  return { ...reviewed, ...change };
}
