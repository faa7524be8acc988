import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { it } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

// A real proxy, which answers every request itself.

let proxy: Server;
let address: string;
let asked: string[];
let connectWith: string;

const tags = { success: true, tags: [], next_cursor: null };

beforeEach(async () => {
  asked = [];
  connectWith = 'HTTP/1.1 403 Forbidden\r\n\r\n';
  proxy = createServer(({ method, url, headers }, response) => {
    asked.push(`${method} ${url} for ${headers['proxy-authorization']}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(tags));
  });
  proxy.on('connect', ({ url, headers }: IncomingMessage, socket: Socket) => {
    asked.push(`CONNECT ${url} for ${headers['proxy-authorization']}`);
    socket.end(connectWith);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});

afterEach(() => {
  proxy.closeAllConnections();
  proxy.close();
});

function list(home: Home, baseUrl: string, env: Record<string, string>) {
  home.env = { MSGCTL_BASE_URL: baseUrl, MSGCTL_API_KEY: 'mk_secret', ...env };
  return home.run('tags', 'list', '-o', 'json');
}

describe('a server that is reached through a proxy', () => {
  it.for([
    ['HTTP_PROXY', 'http://'],
    ['http_proxy', 'http://'],
    ['HTTP_PROXY', ''],
  ] as const)('receives HTTP requests from the proxy of %s=%s…', async ([variable, scheme], { home }) => {
    const { code, stdout } = await list(home, 'http://api.shop.invalid/v1', { [variable]: `${scheme}ada:s3cret@${address}` });
    expect([code, JSON.parse(stdout)]).toEqual([0, { tags: [], next_cursor: null }]);
    expect(asked).toEqual([`GET http://api.shop.invalid/v1/tags?limit=50 for Basic ${btoa('ada:s3cret')}`]);
  });

  it.for(['shop.example', 'api.shop.invalid:8080', 'op.invalid', '*:443'])('is not excluded by NO_PROXY=%s', async (except, { home }) => {
    await list(home, 'http://api.shop.invalid/v1', { HTTP_PROXY: `http://${address}`, NO_PROXY: except });
    expect(asked).toHaveLength(1);
  });

  it('is reached over HTTPS through a tunnel, and an error shows the answer of the proxy', async ({ home }) => {
    const { code, stderr } = await list(home, 'https://api.shop.invalid/v1', { HTTPS_PROXY: `http://ada:s3cret@${address}` });
    expect(asked).toEqual([`CONNECT api.shop.invalid:443 for Basic ${btoa('ada:s3cret')}`]);
    expect([code, (JSON.parse(stderr) as { message: string }).message]).toEqual([
      9,
      'No answer from https://api.shop.invalid: the proxy that HTTPS_PROXY names answered 403',
    ]);
  });

  it('says that there is a proxy when it cannot be reached', async ({ home }) => {
    proxy.close();
    const { code, stderr } = await list(home, 'https://api.shop.invalid/v1', { https_proxy: `http://ada:s3cret@${address}` });
    expect([code, stderr]).toEqual([9, expect.stringContaining('no server listens there; https_proxy names a proxy')]);
    expect(stderr).not.toContain('s3cret');
  });
});

describe('no proxy', () => {
  it.for([
    ['when only the other protocol has one', { HTTPS_PROXY: 'http://proxy' }],
    ['for a server that NO_PROXY names', { HTTP_PROXY: 'http://proxy', NO_PROXY: 'x.example, .shop.invalid' }],
    ['for a server that no_proxy names', { HTTP_PROXY: 'http://proxy', no_proxy: 'api.shop.invalid' }],
    ['when every server is excluded', { HTTP_PROXY: 'http://proxy', NO_PROXY: '*' }],
    ['for a port that NO_PROXY names', { HTTP_PROXY: 'http://proxy', no_proxy: '', NO_PROXY: 'shop.invalid:80' }],
  ] as const)('is used %s', async ([_what, variables], { home }) => {
    const env = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value.replace('proxy', address)]));
    const { code, stderr } = await list(home, 'http://api.shop.invalid/v1', env);
    expect([code, stderr]).toEqual([9, expect.stringMatching(/host name (does not resolve|cannot be resolved right now)"/)]);
    expect(asked).toEqual([]);
  });

  it('is used for addresses of this machine', async ({ home }) => {
    const { code } = await list(home, `http://${address}/v1`, { HTTP_PROXY: 'http://no-such-host.invalid' });
    expect([code, asked]).toEqual([0, ['GET /v1/tags?limit=50 for undefined']]);
  });

  it.for(['http://', 'socks5://ada:s3cret@proxy:1080', 'http://ada:s3cret@:1', 'http://ada:s3cret%@proxy:3128'])(
    'is accepted from the value %s',
    async (value, { home }) => {
      const { code, stderr } = await list(home, 'http://api.shop.invalid/v1', { HTTP_PROXY: value });
      expect([code, (JSON.parse(stderr) as { message: string }).message]).toEqual([
        2,
        'HTTP_PROXY does not contain the address of a proxy',
      ]);
      expect(stderr).not.toContain('s3cret');
    },
  );
});
