import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Workplace } from '../support/processes.ts';

// The servers send an interim answer unasked, as some do: it is skipped.

it.each(['directly', 'through a proxy'])('the program keeps the path of the address %s', async (way) => {
  const workplace = new Workplace();
  onTestFinished(() => workplace.remove());
  const paths: unknown[] = [];
  const server = createServer(({ url }, response) => {
    paths.push(url);
    response.writeContinue();
    response.setHeader('content-type', 'application/json').end('{"success":true,"tags":[],"next_cursor":null}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const target: Record<string, string> =
    way === 'directly'
      ? { MSGCTL_BASE_URL: `${address}/gateway/messages/v1` }
      : { MSGCTL_BASE_URL: 'http://api.shop.invalid/gateway/messages/v1', HTTP_PROXY: address };
  const { code } = await workplace.run(['tags', 'list', '-o', 'json'], { ...target, MSGCTL_API_KEY: 'mk_secret' });
  expect(code).toBe(0);
  expect(paths).toEqual([expect.stringMatching(/\/gateway\/messages\/v1\/tags\?limit=\d+$/)]);
});

it('a server that switches to another protocol is an error', async () => {
  const workplace = new Workplace();
  onTestFinished(() => workplace.remove());
  const server = createServer().on('upgrade', (_request, socket: Socket) => socket.destroy());
  server.on('request', (_request, response) => {
    response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const env = { MSGCTL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, MSGCTL_API_KEY: 'mk_secret' };
  const { code, stderr } = await workplace.run(['tags', 'create', 'VIP'], env);
  expect([code, stderr]).toEqual([9, expect.stringContaining('Error')]);
});

it.each(['directly', 'through the tunnel of a proxy'])('the program speaks TLS %s', async (way) => {
  const workplace = new Workplace();
  onTestFinished(() => workplace.remove());
  const [key, certificate] = ['key.pem', 'cert.pem'].map((name) => join(workplace.path, name)) as [string, string];
  const made = ['-keyout', key, '-out', certificate, '-days', '1', '-subj', '/CN=api.shop.invalid'];
  const names = ['-addext', 'subjectAltName=DNS:api.shop.invalid,DNS:localhost'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...made, ...names], { stdio: 'ignore' });
  const credentials: unknown[] = [];
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, ({ headers }, response) => {
    credentials.push(headers.authorization);
    response.writeContinue();
    response.setHeader('content-type', 'application/json').end('{"success":true,"tags":[],"next_cursor":null}');
  });
  await once(server.listen(0, 'localhost'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const proxy = createServer().on('connect', (_request, socket: Socket) => {
    const upstream = connect(port, 'localhost', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void proxy.close());
  const target: Record<string, string> =
    way === 'directly'
      ? { MSGCTL_BASE_URL: `https://localhost:${port}/v1` }
      : {
          MSGCTL_BASE_URL: 'https://api.shop.invalid/v1',
          HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
        };
  const { code, stdout, stderr } = await workplace.run(['tags', 'list', '-o', 'json'], {
    ...target,
    MSGCTL_API_KEY: 'mk_secret',
    NODE_EXTRA_CA_CERTS: certificate,
  });
  expect([code, stderr, JSON.parse(stdout)]).toEqual([0, '', { tags: [], next_cursor: null }]);
  expect(credentials).toEqual(['Bearer mk_secret']);
});

it.each(['directly', 'through a proxy'])(
  'a certificate that is not trusted is named at once %s, with the variable that trusts it',
  async (way) => {
    const workplace = new Workplace();
    onTestFinished(() => workplace.remove());
    const [key, certificate] = ['key.pem', 'cert.pem'].map((name) => join(workplace.path, name)) as [string, string];
    const made = ['-keyout', key, '-out', certificate, '-days', '1', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...made], { stdio: 'ignore' });
    let connections = 0;
    const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate) }).on('connection', () => connections++);
    await once(server.listen(0, 'localhost'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const proxy = createServer().on('connect', (_request, socket: Socket) => {
      const upstream = connect(port, 'localhost', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on('error', () => {});
      socket.on('error', () => {});
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void proxy.close());
    const env: Record<string, string> =
      way === 'directly'
        ? { MSGCTL_BASE_URL: `https://localhost:${port}/v1`, MSGCTL_API_KEY: 'mk_1' }
        : {
            MSGCTL_BASE_URL: 'https://api.shop.invalid/v1',
            MSGCTL_API_KEY: 'mk_1',
            HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
          };
    for (const argv of [
      ['tags', 'list'],
      ['tags', 'create', 'VIP'],
    ]) {
      const { code, stdout, stderr } = await workplace.run(argv, env);
      expect([code, stdout]).toEqual([9, '']);
      expect(stderr).toMatch(
        /^Error: No answer from https:\S+: the TLS certificate is self-signed: NODE_EXTRA_CA_CERTS can name a file with it.*\nIf it is your own, set NODE_EXTRA_CA_CERTS to a PEM file/,
      );
    }
    expect(connections).toBe(2);
  },
);

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
