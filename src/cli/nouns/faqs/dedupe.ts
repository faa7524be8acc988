import type { Client } from '../../../client/client.ts';
import { InterfaceError, lacksEndpoint } from '../../../client/errors.ts';
import { dismissDedupe, getDedupe, listFaqs } from '../../../contract/areas/faqs/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import type { Session } from '../../verb/noun.ts';
import { waitUntil } from '../../verb/wait.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { counted } from '../../../contract/text/counted.ts';
import { limits } from '../../../contract/limits.ts';
import { type Result, wholeList } from '../../output/result.ts';

type Check = NonNullable<Answer<typeof getDedupe>['job']>;

/**
 * Starts a duplicate check, waits until it has ended, and shows which FAQs were merged into which.
 * @param start queues the check
 * @throws CliError 1 if the check failed, 130 if interrupted; the check continues in the background
 */
export async function followCheck(session: Session, start: () => Promise<Result>): Promise<Result> {
  const client = await session.targets.client();
  const before = await readQuestions(client);
  const queued = await start();
  const check = await untilOver(session, client);
  const after = await readQuestions(client);
  const into = new Map(check.merged.map((merge) => [merge.faq_id, merge.into]));
  // Beyond the merges that the service lists, and without any, what is gone was merged.
  const isListed = check.merged.length > 0 && check.merged.length < limits.mergedFaqs;
  const gone = [...before.keys()].filter((id) => !after.has(id));
  const ids = isListed || gone.length === 0 ? check.merged.map(({ faq_id: id }) => id) : gone;
  const merged = ids.map((id) => ({
    id,
    question: before.get(id) ?? null,
    into: into.get(id) ?? null,
    into_question: before.get(into.get(id) ?? '') ?? null,
  }));
  return {
    ...wholeList('merged', merged),
    columns: ['id', 'question', 'into', 'into_question'],
    totals: () => ({ ...(queued.kind === 'record' ? queued.record : {}), merged_count: merged.length, faq_count: after.size }),
    closing: () => `Merged ${counted(merged.length, 'FAQ')} into others; ${counted(after.size, 'FAQ')} remain.`,
  };
}

/**
 * Starts a duplicate check that changes nothing, waits until it has ended, and shows which FAQs could be merged.
 * @throws CliError 1 if the check failed, 130 if interrupted
 */
export async function showProposals(session: Session, start: () => Promise<Result>): Promise<Result> {
  const client = await session.targets.client();
  await start();
  const { proposals } = await untilOver(session, client);
  const questions = await readQuestions(client);
  const rows = proposals.map(({ reason, score, faq_ids: ids }) => ({
    reason,
    score,
    faq_ids: ids,
    questions: ids.map((id) => questions.get(id) ?? null),
  }));
  return {
    ...wholeList('proposals', rows),
    columns: ['reason', 'score', 'questions', 'faq_ids'],
    closing: () =>
      rows.length === 0
        ? 'No FAQs to merge.'
        : 'Nothing was changed. Without --propose, FAQs with the same question and answer are merged.',
  };
}

/** Waits until the check has ended. @throws CliError 1 if it failed, 130 if interrupted */
async function untilOver(session: Session, client: Client): Promise<Check> {
  const check = await waitUntil(session, {
    read: async () => await readCheck(client),
    isOver: ({ status }) => status === 'completed' || status === 'failed',
    describe: () => 'The duplicate check is running',
    what: 'the check',
  });
  if (check.status === 'failed')
    throw new CliError(exitCodes.failed, 'check_failed', 'The duplicate check failed', { hint: 'Try it again.' });
  return check;
}

/** The questions of all FAQs by id. */
async function readQuestions(client: Client): Promise<Map<string, string>> {
  return new Map((await client.all(listFaqs, {})).map(({ id, question }) => [id, question]));
}

/** The state of the check. A service that does not show it, or a check that was begun before an upgrade, refuses to dismiss a check that is running. */
async function readCheck(client: Client): Promise<Check> {
  try {
    const { job } = await client.call(getDedupe, {});
    if (job) return job;
  } catch (error) {
    if (!lacksEndpoint(error)) throw error;
  }
  const isOver = await client.call(dismissDedupe, {}).then(() => true, isRefused);
  return { status: isOver ? 'completed' : 'processing', merged: [], proposals: [] };
}

/** Whether an error reports that the check is still running. @throws any other error */
function isRefused(error: unknown): false {
  if (error instanceof InterfaceError && error.status === 409) return false;
  throw error;
}
