import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestService } from '../../support/test-service.ts';

// A configured identity provider, in addition to the sandbox's. Members match by email address, and its tokens use real time.

const issuer = 'https://id.test.example';
const audience = 'messaging';

let provider: Server;
let service: TestService;
type Algorithm = 'RS256' | 'EdDSA' | 'ES256';

let sign: (
  claims: Record<string, unknown>,
  more?: { issuer?: string; audience?: string; expires?: number; alg?: Algorithm },
) => Promise<string>;

beforeAll(async () => {
  const pairs = { RS256: await generateKeyPair('RS256'), EdDSA: await generateKeyPair('EdDSA'), ES256: await generateKeyPair('ES256') };
  const keys: object[] = [];
  for (const [alg, { publicKey }] of Object.entries(pairs)) keys.push({ ...(await exportJWK(publicKey)), kid: alg, alg });
  const weak = generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export({ format: 'jwk' });
  keys.push({ ...weak, kid: 'weak', alg: 'RS256' }, { kty: 'RSA', n: '', e: 'AQAB', kid: 'broken', alg: 'RS256' });
  provider = createServer((request, response) => {
    if (request.url !== '/jwks') response.statusCode = 500;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys }));
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const jwks = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/jwks`;
  service = await TestService.open({ identityProvider: { issuer, audience, jwks } });
  await service.signIn([], { email: 'Ann@Shop.example', role: 'owner' });
  // The service's clock must not affect the tokens of the provider.
  await service.sandbox('POST', '/clock', { now: '2040-01-01' });
  sign = (claims, { alg = 'RS256', ...more } = {}) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg, kid: alg })
      .setIssuer(more.issuer ?? issuer)
      .setAudience(more.audience ?? audience)
      .setExpirationTime(more.expires ?? service.clock.now / 1000 + 60)
      .sign(pairs[alg].privateKey);
});

afterAll(async () => {
  provider.close();
  await service.close();
});

const status = async (key: string) => (await service.get('/team', { key })).status;

// Proves rules credentials.13, credentials.14.
it('a token authenticates a member by email address, ignoring case', async () => {
  expect(await status(await sign({ email: 'ann@SHOP.example' }))).toBe(200);
  expect(await status(await sign({ email: 'ann@shop.example', email_verified: true }))).toBe(200);
  expect(await status(await sign({ email: 'ann@shop.example', email_verified: 'true' }))).toBe(200);
});

// Proves rule credentials.13.
it.each([
  ['RS256', 200],
  ['EdDSA', 200],
  ['ES256', 401],
] as const)('a token signed with %s returns %i', async (alg, expected) => {
  expect(await status(await sign({ email: 'ann@shop.example' }, { alg }))).toBe(expected);
});

// Proves rule credentials.14.
it('a token authenticates the member added first if several accounts have one with the address', async () => {
  const [first, second] = [await service.makeAccount(), await service.makeAccount()];
  for (const { account_id } of [first, second]) await service.signIn([], { email: 'bob@shop.example' }, account_id);
  const { body } = await service.get('/users/me', { key: await sign({ email: 'Bob@shop.example' }) });
  expect(body.user.id).toBe(first.account_id);
});

// Proves rules credentials.12, sandbox.40.
it("the sandbox's own tokens are still accepted: EdDSA, for an hour of the service's clock", async () => {
  const token = await service.signIn([]);
  const now = Date.parse((await service.sandbox('GET', '/clock')).body.now as string) / 1000;
  expect(decodeProtectedHeader(token).alg).toBe('EdDSA');
  expect(decodeJwt(token)).toMatchObject({ iss: 'msgctl-sandbox', aud: 'msgctl', iat: Math.floor(now), exp: Math.floor(now) + 3600 });
});

// Proves rules credentials.15, credentials.16.
it('a token without a verified email address is rejected', async () => {
  expect(await status(await sign({ email: 'ann@shop.example', email_verified: false }))).toBe(401);
  expect(await status(await sign({ email: 'ann@shop.example', email_verified: 'false' }))).toBe(401);
  expect(await status(await sign({ email: 'somebody@else.example' }))).toBe(401);
  expect(await status(await sign({}))).toBe(401);
});

// Proves rule credentials.13.
it('a token must have the right issuer, audience and time', async () => {
  expect(await status(await sign({ email: 'ann@shop.example' }, { issuer: 'https://other.example' }))).toBe(401);
  expect(await status(await sign({ email: 'ann@shop.example' }, { audience: 'another service' }))).toBe(401);
  expect(await status(await sign({ email: 'ann@shop.example' }, { expires: service.clock.now / 1000 - 60 }))).toBe(401);
});

// Proves rule credentials.17.
it.each(['weak', 'broken'])('an unusable key of the provider is rejected: %s', async (kid) => {
  const [, ...signed] = (await sign({ email: 'ann@shop.example' })).split('.');
  const header = Buffer.from(JSON.stringify({ alg: 'RS256', kid })).toString('base64url');
  expect(await status([header, ...signed].join('.'))).toBe(401);
});

// Proves rule credentials.17.
it.each(['http://127.0.0.1:9/jwks', 'the provider'])(
  'an unreachable or failing provider causes 503 instead of 401: %s',
  async (address) => {
    const jwks = address.startsWith('http') ? address : `http://127.0.0.1:${(provider.address() as AddressInfo).port}/failing`;
    const other = await TestService.open({ identityProvider: { issuer, audience, jwks } });
    expect((await other.get('/team', { key: await sign({ email: 'ann@shop.example' }) })).status).toBe(503);
    await other.close();
  },
);
