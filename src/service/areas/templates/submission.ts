import { submissionProblem, type TemplateProblem } from '../../../contract/areas/templates/checks.ts';
import { ApiError, invalidField } from '../../errors.ts';
import type { Account } from '../../identity/accounts.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { checkTemplatesEnabled, submitToOwnAccount } from './own-account.ts';
import { campaignOf, unreviewedChannel } from './records.ts';
import { reviewJob } from './review.ts';
import { type Template, templates } from './table.ts';

/** The error for an invalid template. */
export function problemError({ field, reason }: TemplateProblem): ApiError {
  return invalidField(field, reason);
}

/**
 * Submits a template for review. A template of a chatapp_web campaign is approved without a review (rule templates.24).
 * @throws ApiError 400 when it lacks variables that its type requires, when the connection of the own provider account is not
 * complete, or when the provider refuses it
 */
export async function submitTemplate(db: Db, account: Account, template: Template, now: number): Promise<Template> {
  checkTemplatesEnabled(account);
  const problem = submissionProblem(template.type, template.variables);
  if (problem) throw problemError(problem);
  const submitted = { submissions: template.submissions + 1, submitted_at: now, rejection_reason: null };
  if ((await campaignOf(db, template))?.channel === unreviewedChannel)
    return await templates.change(db, account.id, template.id, { ...submitted, status: 'approved', sid: null, approved_at: now }, now);
  const sid = account.templateProvider === 'managed' ? newId('cnt') : await submitToOwnAccount(db, template, now);
  const received = await templates.change(db, account.id, template.id, { ...submitted, status: 'received', sid }, now);
  await enqueue(db, reviewJob(received, now));
  return received;
}
