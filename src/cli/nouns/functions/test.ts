import { type getFunction, testFunction as endpoint } from '../../../contract/areas/functions/endpoints.ts';
import { functionHeaders, toldToFunction } from '../../../contract/areas/functions/request.ts';
import { signatureHeaders } from '../../../contract/deliveries/headers.ts';
import { getMe } from '../../../contract/areas/whoami/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { exitCodes } from '../../errors.ts';
import { functionLookup } from '../../lookups/functions.ts';
import type { Result } from '../../output/result.ts';
import { checkArguments, readCallArguments } from '../../tools/arguments.ts';
import { callText } from '../../tools/call-text.ts';
import type { Options, Session } from '../../verb/noun.ts';

type CustomFunction = Answer<typeof getFunction>['custom_function'];

/** Calls a function with checked arguments. @throws CliError 2 if they do not match its parameters */
export async function testFunction(session: Session, [word = '', ...words]: readonly string[], options: Options): Promise<Result> {
  const called = await session.names.record(functionLookup, word);
  const given = await readCallArguments(called.parameters, words, session, options);
  checkArguments(called.parameters, given);
  const client = await session.targets.client();
  const answer = await client.call(endpoint, { params: { id: called.id }, body: { arguments: given } });
  const { user } = await client.call(getMe, {});
  const sent = requestOf(called, given, user);
  const record = { ...answer, signed: called.signing_enabled, sent };
  const about = [
    `With the headers ${Object.keys(functionHeaders(called, '')).join(', ')}.`,
    called.signing_enabled
      ? `Signed with the secret of the function, in ${Object.keys(signatureHeaders('', 0, '')).join(' and ')}.`
      : 'Not signed: the function has no secret.',
  ];
  const text = await callText(session, { heading: `${sent.method} ${sent.url}`, values: sent.body ?? sent.query, about }, answer);
  return { kind: 'record', answer: record, record, text, exitCode: answer.ok ? exitCodes.done : exitCodes.failed };
}

/** The request that the service makes, without the id that it gives the call. */
function requestOf(
  { name, method, url, headers }: CustomFunction,
  given: Readonly<Record<string, unknown>>,
  { id, name: userName, email }: Answer<typeof getMe>['user'],
) {
  const body = toldToFunction({ name, arguments: given, user: { id, name: userName, email }, conversation: null });
  return { method, url, headers, query: method === 'GET' ? given : null, body: method === 'GET' ? null : body };
}
