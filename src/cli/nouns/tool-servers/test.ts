import { testTool as endpoint } from '../../../contract/areas/tool-servers/endpoints.ts';
import { isObject, supportedPart } from '../../../contract/areas/functions/parameters.ts';
import { exitCodes } from '../../errors.ts';
import { toolServerLookup } from '../../lookups/tool-servers.ts';
import type { Result } from '../../output/result.ts';
import { checkArguments, readCallArguments } from '../../tools/arguments.ts';
import { callText } from '../../tools/call-text.ts';
import type { Options, Session } from '../../verb/noun.ts';

/** Calls a tool with checked arguments. @throws CliError 2 if they do not match what the server says of the tool */
export async function testTool(session: Session, [word = '', tool = '', ...words]: readonly string[], options: Options): Promise<Result> {
  const server = await session.names.record(toolServerLookup, word);
  // A tool that was not read may still be there: the server decides.
  const schema = supportedPart(server.tools.find(({ name }) => name === tool)?.input_schema ?? true);
  const given = await readCallArguments(isObject(schema) ? schema : {}, words, session, options);
  checkArguments(schema, given);
  const client = await session.targets.client();
  const answer = await client.call(endpoint, { params: { id: server.id }, body: { tool, arguments: given } });
  const record = { ...answer, sent: { url: server.url, tool, arguments: given } };
  const text = await callText(session, { heading: `${tool} at ${server.url}`, values: given, about: [] }, answer);
  return { kind: 'record', answer: record, record, text, exitCode: answer.ok ? exitCodes.done : exitCodes.failed };
}
