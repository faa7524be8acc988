import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { timingSafeEqual } from 'node:crypto';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { describeListenError } from '../../contract/network-errors.ts';
import { CliError, exitCodes } from '../errors.ts';
import type { ServerFactory } from './server.ts';

/** A server for assistants on loopback. */
export interface AssistantServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** The path of the protocol. */
const path = '/mcp';

/**
 * Serves assistants over HTTP on loopback. A request needs the token, and must not come from a website.
 * @param port 0 for any free one
 * @throws CliError 1 when the port cannot be used
 */
export async function serveAssistants(
  { make }: ServerFactory,
  port: number,
  token: string,
  onError: (error: Error) => void,
): Promise<AssistantServer> {
  const handler = createMcpHandler(make, { onerror: onError });
  const answer = async (request: Request): Promise<Response> =>
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins()) ??
    refusal(request, token) ??
    (await handler.fetch(request));
  const handle = toNodeHandler({ fetch: answer }, { onerror: onError });
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new CliError(exitCodes.failed, 'address', `Cannot listen on 127.0.0.1:${port}: ${describeListenError(error.code)}`)),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    close: async () => {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The answer to a request that is not for the server, or has not its token. */
function refusal(request: Request, token: string): Response | undefined {
  if (new URL(request.url).pathname !== path) return Response.json({ error: `There is only ${path} here` }, { status: 404 });
  const [, given = ''] = /^bearer +(\S+)$/i.exec(request.headers.get('authorization')?.trim() ?? '') ?? [];
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  if (one.length === other.length && timingSafeEqual(one, other)) return undefined;
  return Response.json({ error: 'Missing or invalid token' }, { status: 401, headers: { 'www-authenticate': 'Bearer' } });
}
