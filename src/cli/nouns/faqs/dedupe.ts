import { InterfaceError } from '../../../client/errors.ts';
import { dismissDedupe, listFaqs } from '../../../contract/areas/faqs/endpoints.ts';
import type { Session } from '../../command/noun.ts';
import { waitUntil } from '../../command/wait.ts';
import { counted } from '../../../contract/counted.ts';
import { type Result, wholeList } from '../../output/result.ts';

/**
 * Starts a duplicate check, waits until it has ended, and shows the FAQs that were merged into others.
 * @param start queues the check
 * @throws CliError 130 if interrupted; the check continues in the background
 */
export async function followCheck(session: Session, start: () => Promise<Result>): Promise<Result> {
  const client = await session.targets.client();
  const before = await readQuestions();
  const queued = await start();
  // The API does not return the status of a check, but refuses to dismiss a running one.
  await waitUntil(session, {
    read: async () => await client.call(dismissDedupe, {}).then(() => true, isRefused),
    isOver: (isCleared) => isCleared,
    describe: () => 'The duplicate check is running',
    what: 'the check',
  });
  const after = await readQuestions();
  const merged = [...before].filter(([id]) => !after.has(id)).map(([id, question]) => ({ id, question }));
  return {
    ...wholeList('merged', merged),
    columns: ['id', 'question'],
    totals: () => ({ ...(queued.kind === 'record' ? queued.record : {}), merged_count: merged.length, faq_count: after.size }),
    closing: () => `Merged ${counted(merged.length, 'FAQ')} into others; ${counted(after.size, 'FAQ')} remain.`,
  };

  /** The questions of all FAQs by id. */
  async function readQuestions(): Promise<Map<string, string>> {
    return new Map((await client.all(listFaqs, {})).map(({ id, question }) => [id, question]));
  }
}

/** Whether an error reports that the check is still running. @throws any other error */
function isRefused(error: unknown): false {
  if (error instanceof InterfaceError && error.status === 409) return false;
  throw error;
}
