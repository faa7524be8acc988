import { globSync } from 'node:fs';
import type { Client } from '../../client/client.ts';
import { readUserText } from '../files/read.ts';
import { CliError, type ExitCode, usageError } from '../errors.ts';
import { screenOf } from '../output/screen.ts';
import type { Session } from '../verb/noun.ts';
import { failureText } from './report.ts';
import { type RunOptions, runSuites } from './run-suites.ts';
import { readSuite, type Suite } from './suite.ts';

/** Reads the suites of patterns such as `tests/*.yaml`. @throws CliError 2 when a pattern matches nothing, or a suite has a mistake */
export async function readSuites(patterns: readonly string[]): Promise<Suite[]> {
  const files = patterns.flatMap((pattern) => {
    const found = globSync(pattern).sort();
    if (found.length === 0) throw usageError(`--test ${pattern} matches no file`);
    return found;
  });
  return await Promise.all([...new Set(files)].map(async (file) => readSuite(file, await readUserText(file))));
}

/**
 * Runs suites before something is changed, and shows the conversations that fail.
 * @param failing the exit code, the error code and the sentence when one fails
 * @throws CliError when a case fails
 */
export async function requirePassing(
  session: Session,
  client: Client,
  suites: readonly Suite[],
  options: Pick<RunOptions, 'usesDraft' | 'change'>,
  failing: { readonly exitCode: ExitCode; readonly code: string; readonly message: string },
): Promise<void> {
  const { results } = await runSuites(session, client, suites, { agent: null, repeat: 1, atLeast: 1, ...options });
  const failed = results.filter(({ isPassed }) => !isPassed);
  const { world, notes } = session;
  if (failed.length === 0) return notes.say(`Suites: ${results.length} passed.`);
  const { unicode } = screenOf(world.stderr, world);
  notes.always(failed.flatMap((each) => failureText(each, unicode).trimEnd().split('\n')));
  throw new CliError(failing.exitCode, failing.code, `${failing.message}: ${failed.length} of ${results.length} cases failed`);
}
