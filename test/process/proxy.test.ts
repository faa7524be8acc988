import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Workplace } from '../support/processes.ts';

// The bundle has a part of the HTTP client, and another one for proxies.
it.each([
  ['HTTP_PROXY', 'http', 'GET http://api.shop.invalid/v1/tags?limit=50'],
  ['HTTPS_PROXY', 'https', 'CONNECT api.shop.invalid:443'],
])('the program sends requests through the proxy of %s', async (variable, scheme, expected) => {
  const workplace = new Workplace();
  onTestFinished(() => workplace.remove());
  const asked: string[] = [];
  const proxy = createServer(({ method, url }, response) => {
    asked.push(`${method} ${url}`);
    response.writeHead(403, { 'content-type': 'application/json' }).end('{"success":false,"error":"no","error_code":403}');
  });
  proxy.on('connect', ({ url }, socket: Socket) => {
    asked.push(`CONNECT ${url}`);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void proxy.close());
  await workplace.run(['tags', 'list'], {
    MSGCTL_BASE_URL: `${scheme}://api.shop.invalid/v1`,
    MSGCTL_API_KEY: 'mk_secret',
    [variable]: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  });
  expect(asked).toEqual([expected]);
});
