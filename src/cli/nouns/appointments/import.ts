import { getCalendarImport } from '../../../contract/areas/appointments/endpoints.ts';
import type { Session } from '../../verb/noun.ts';
import { waitUntil } from '../../verb/wait.ts';
import { CliError, exitCodes } from '../../errors.ts';
import type { Result } from '../../output/result.ts';

/** Waits until an import has ended. @throws CliError 1 if it failed, 130 if interrupted */
export async function followImport(session: Session, jobId: string): Promise<Result> {
  const client = await session.targets.client();
  const ended = await waitUntil(session, {
    read: async () => await client.call(getCalendarImport, { params: { jobId } }),
    isOver: ({ status }) => status === 'completed' || status === 'failed',
    describe: ({ status }) => `The import is ${status}`,
    what: 'the import',
  });
  if (ended.status === 'failed')
    throw new CliError(exitCodes.failed, 'import_failed', `The import failed: ${ended.error}`, { details: { ...ended } });
  return { kind: 'record', answer: ended, record: ended, columns: ['job_id', 'status', 'message'] };
}
