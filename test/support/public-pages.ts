import { makeRequest } from '../../src/service/http/request.ts';
import type { TestService } from './test-service.ts';

interface PublicOptions {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** The remote address; without one, limits by address do not count. */
  readonly address?: string;
}

/** An answer of a public page. */
export interface PublicAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- as answers are in tests
  readonly body: any;
}

/** Makes a request to a public page of a service, as a browser would. */
export async function visit(
  { service }: Pick<TestService, 'service'>,
  method: string,
  target: string,
  { token, body, headers = {}, address }: PublicOptions = {},
): Promise<PublicAnswer> {
  const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const sent: Record<string, string> = { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers };
  const response = await service.fetch(
    makeRequest({
      method,
      target: target,
      remoteAddress: address,
      header: (name) => sent[name],
      readBody: async () => bytes,
    }),
  );
  response.stream?.end();
  const text = response.body.map((piece) => (typeof piece === 'string' ? piece : Buffer.from(piece).toString())).join('');
  const isJson = response.headers['content-type']?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, text, body: isJson && text !== '' ? JSON.parse(text) : null };
}
