import type { Answer } from '../../../contract/endpoint.ts';
import { getTemplateStatus } from '../../../contract/areas/templates/endpoints.ts';
import type { Options, Session } from '../../verb/noun.ts';
import { waitUntil } from '../../verb/wait.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { counted } from '../../../contract/text/counted.ts';
import type { Result } from '../../output/result.ts';

type Status = Answer<typeof getTemplateStatus>;

/**
 * Waits for the review of a template that was just submitted.
 * @param submitted the response to the submission
 * @throws CliError 1 if it is rejected, or on timeout; 130 if interrupted
 */
export async function followReview(session: Session, submitted: Result, options: Options): Promise<Result> {
  if (submitted.kind !== 'record') return submitted;
  const templateId = submitted.record.template_id as string;
  const timeout = (options.timeout as number | undefined) ?? Infinity;
  const client = await session.targets.client();
  const status = await waitUntil(session, {
    read: async () => await client.call(getTemplateStatus, { params: { templateId } }),
    isOver: (each) => each.status !== 'received' && each.status !== 'pending',
    describe: (each) => `${each.name}: ${each.status}`,
    what: 'the review',
    limit: { milliseconds: timeout, error: (each) => lateError(each, timeout) },
  });
  if (status.status !== 'approved')
    throw failure('rejected', `The template '${status.name}' is ${status.status}${reasonOf(status)}`, status);
  const columns = ['template_id', 'name', 'status', 'sid', 'date_updated'];
  return { kind: 'record', answer: status, record: status, columns };
}

function reasonOf({ rejection_reason: reason }: Status): string {
  return reason === null ? '' : `: ${reason}`;
}

function lateError(status: Status, timeout: number): CliError {
  const text = `The review of '${status.name}' was not over within ${counted(timeout / 1000, 'second')}: it is ${status.status}`;
  return failure('timeout', text, status, 'The review continues: `msgctl templates status` shows it.');
}

/** An error with the status as details, for scripts. */
function failure(code: string, message: string, status: Status, hint = 'Improve it with `msgctl templates update`, then submit it again.') {
  return new CliError(exitCodes.failed, code, message, { hint, details: { template: status } });
}
