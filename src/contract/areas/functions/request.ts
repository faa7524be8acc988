import { deliveryHeaders } from '../../deliveries/headers.ts';

/** Who a function is called for; null in a test. */
export interface Conversation {
  readonly contact: { readonly id: string; readonly first_name: string | null; readonly country: string | null };
  readonly agentId: string;
  readonly sessionId: string | null;
}

/** The account on which an agent answers. */
export interface CallingUser {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
}

/** What a function is called with. */
interface Called {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly user: CallingUser;
  readonly conversation: Conversation | null;
}

/** What a function is told, without the id of the call (rule functions.7). All but the arguments comes from the service. */
export function toldToFunction({ name, arguments: given, user, conversation }: Called) {
  return {
    function: name,
    arguments: given,
    user,
    contact: conversation?.contact ?? null,
    agent_id: conversation?.agentId ?? null,
    chat_session_id: conversation?.sessionId ?? null,
    ...(conversation === null && { test: true }),
  };
}

/**
 * The headers of a call, without its signature. Of these, a function can have only the user agent otherwise.
 * @param callId the id of the call
 */
export function functionHeaders(
  { method, headers }: { readonly method: string; readonly headers: Readonly<Record<string, string>> },
  callId: string,
): Record<string, string> {
  const own: Record<string, string> = { ...deliveryHeaders(callId, 1, 'Function Called'), Accept: 'application/json, text/*' };
  if (method === 'GET') delete own['Content-Type'];
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'user-agent')) delete own['User-Agent'];
  return { ...headers, ...own };
}
