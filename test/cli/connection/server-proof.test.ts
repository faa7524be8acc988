import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { type IdentityKey, proofType } from '../../../src/contract/proof.ts';
import { it } from '../../support/home-test.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import type { Home } from '../../support/terminal-world.ts';

// The sandbox token is sent only to the server of the data directory, whatever else listens on its address.

let server: TestServer;
const listening: Server[] = [];

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

it.beforeEach(({ home }) => {
  home.env = { MSGCTL_DATA_DIR: join(home.path, 'data') };
});

afterEach(() => {
  for (const each of listening.splice(0)) each.close();
});

/** Writes the note file of the real server into the data directory, as if it listened on this address. */
function noteServer(home: Home, origin: string, key: IdentityKey = server.identityKey): void {
  const servers = join(home.path, 'data', 'servers');
  mkdirSync(servers, { recursive: true });
  writeFileSync(join(home.path, 'data', 'sandbox-token'), server.token);
  const note = { pid: process.pid, startedAt: Date.now(), origin, accountId: server.accountId, key };
  writeFileSync(join(servers, `${process.pid}.json`), JSON.stringify(note));
}

interface Jwks {
  keys: { kid: string }[];
  proof?: string;
}

async function jwksOf(nonce: string): Promise<Jwks> {
  return (await (await fetch(`${server.origin}/sandbox/.well-known/jwks.json?nonce=${nonce}`)).json()) as Jwks;
}

/** Listens instead of the server. @returns the `Authorization` header of every request */
async function impersonate(
  home: Home,
  jwks: (nonce: string, origin: string) => Promise<unknown>,
  key?: IdentityKey,
): Promise<(string | undefined)[]> {
  const asked: (string | undefined)[] = [];
  const impostor = createServer((request, response) => {
    asked.push(request.headers.authorization);
    const nonce = new URL(request.url ?? '', 'http://impostor').searchParams.get('nonce') ?? '';
    void jwks(nonce, origin).then((answer) => response.end(JSON.stringify(answer)));
  });
  await new Promise<void>((resolve) => impostor.listen(0, '127.0.0.1', resolve));
  listening.push(impostor);
  const origin = `http://127.0.0.1:${(impostor.address() as AddressInfo).port}`;
  noteServer(home, origin, key);
  return asked;
}

/** A proof by another key with the id of the server's key. */
async function forge(nonce: string, origin: string): Promise<Jwks> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const { kid } = server.identityKey;
  const proof = await new SignJWT({ nonce, origin, store: kid }).setProtectedHeader({ alg: 'EdDSA', typ: proofType, kid }).sign(privateKey);
  return { keys: [{ ...(await exportJWK(publicKey)), kid }], proof };
}

describe('the sandbox token', () => {
  // Proves rule serve.33.
  it('is sent to a server that proves its identity', async ({ home }) => {
    noteServer(home, server.origin);
    expect(await home.run('sandbox', 'clock', 'show', '--debug')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('GET /sandbox/clock -> 200'),
    });
  });

  // Proves rules serve.37, sandbox.90, sandbox.91.
  it.for<[string, (nonce: string, origin: string) => Promise<unknown>]>([
    ['repeats the public keys', async () => ({ keys: (await jwksOf('x')).keys })],
    ['repeats an earlier proof', () => jwksOf('an earlier nonce')],
    ['relays the nonce to the server on its new address', (nonce) => jwksOf(nonce)],
    ['signs with a key of its own', forge],
    ['has an unsigned proof', async (nonce) => ({ ...(await jwksOf(nonce)), proof: 'eyJhbGciOiJub25lIn0.e30.' })],
    ['has a proof that is not text', async (nonce) => ({ ...(await jwksOf(nonce)), proof: 7 })],
  ])('is not sent to a process that %s', async ([_what, jwks], { home }) => {
    const asked = await impersonate(home, jwks);
    const { code, stderr } = await home.run('sandbox', 'clock', 'show', '-o', 'json');
    expect(JSON.parse(stderr)).toMatchObject({ code: 'server_not_verified', hint: expect.stringContaining('was not sent'), exit_code: 4 });
    expect([code, asked]).toEqual([4, [undefined]]);
  });

  // Proves rules serve.37, sandbox.91.
  it.for([
    ['is not sent for', 'JWT', false],
    ['is sent for', proofType, true],
  ] as const)('%s a %s that the key of the store signed', async ([_what, typ, isSent], { home }) => {
    const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true });
    const key = { ...(await exportJWK(publicKey)), kid: 'a key' } as IdentityKey;
    const sign = (nonce: string, origin: string): Promise<string> =>
      new SignJWT({ nonce, origin, store: key.kid }).setProtectedHeader({ alg: 'EdDSA', typ, kid: key.kid }).sign(privateKey);
    const asked = await impersonate(home, async (nonce, origin) => ({ keys: [key], proof: await sign(nonce, origin) }), key);
    await home.run('sandbox', 'clock', 'show');
    expect(asked).toEqual([undefined, ...(isSent ? [`Bearer ${server.token}`] : [])]);
  });

  // Proves rule serve.37.
  it.for([{}, { keys: {} }, { keys: [null] }, { keys: [{ kid: 7 }] }, null, 'text', []])(
    'is not sent to another service that answers %j',
    async (answer, { home }) => {
      const asked = await impersonate(home, async () => answer);
      expect((await home.run('sandbox', 'clock', 'show')).code).toBe(0);
      expect(asked).toEqual([undefined]);
    },
  );

  // Proves rule serve.37.
  it('is not sent to a process that never answers', async ({ home }) => {
    const asked = await impersonate(home, async () => {
      home.expire(3_000);
      await new Promise(() => {});
    });
    expect((await home.run('sandbox', 'clock', 'show')).code).toBe(0);
    expect(asked).toEqual([undefined]);
  });

  // Proves rule serve.37.
  it('requires a proof for a new nonce each time', async ({ home }) => {
    const nonces = new Set<string>();
    await impersonate(home, async (nonce) => {
      nonces.add(nonce);
      return {};
    });
    for (let count = 0; count < 3; count++) expect((await home.run('sandbox', 'clock', 'show')).code).toBe(0);
    expect(nonces.size).toBe(3);
    for (const nonce of nonces) expect(nonce.length).toBeGreaterThanOrEqual(40);
  });
});
