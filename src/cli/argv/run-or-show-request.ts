import { DryRun, type ShownRequest } from '../../client/errors.ts';
import type { CommandInput } from '../verb/command-terms.ts';
import type { Result } from '../output/result.ts';

/**
 * Runs a verb; in a dry run, returns the request instead of the response.
 * @throws the errors of the verb, with field names replaced by the options of the command line
 */
export async function runOrShowRequest(run: () => Promise<Result>, input: CommandInput): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof DryRun) return { kind: 'document', document: error.request, text: requestText(error.request) };
    throw (await import('../verb/command-terms.ts')).inCommandTerms(error, input);
  }
}

function requestText({ method, url, headers, body }: ShownRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const content = body === null ? '' : `\n${typeof body === 'string' ? body : JSON.stringify(body, null, 2)}\n`;
  return `${method} ${url}\n${lines.join('\n')}\n${content}`;
}
