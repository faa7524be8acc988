import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestService } from '../../support/test-service.ts';

// A configured identity provider, in addition to that of the sandbox. Members match by email address, and its tokens use real time.

const issuer = 'https://id.test.example';
const audience = 'messaging';

let provider: Server;
let service: TestService;
let sign: (claims: Record<string, unknown>, more?: { issuer?: string; audience?: string; expires?: number }) => Promise<string>;

beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256' };
  provider = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const jwks = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/jwks`;
  service = await TestService.open({ identityProvider: { issuer, audience, jwks } });
  await service.signIn([], { email: 'Ann@Shop.example', role: 'owner' });
  // The service's clock must not affect the tokens of the provider.
  await service.sandbox('POST', '/clock', { now: '2040-01-01' });
  sign = (claims, more = {}) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setIssuer(more.issuer ?? issuer)
      .setAudience(more.audience ?? audience)
      .setExpirationTime(more.expires ?? service.clock.now / 1000 + 60)
      .sign(privateKey);
});

afterAll(async () => {
  provider.close();
  await service.close();
});

const status = async (key: string) => (await service.get('/team', { key })).status;

// Proves rules credentials.13, credentials.14.
it('authenticates a member by email address, ignoring case', async () => {
  expect(await status(await sign({ email: 'ann@SHOP.example' }))).toBe(200);
  expect(await status(await sign({ email: 'ann@shop.example', email_verified: true }))).toBe(200);
  expect(await status(await sign({ email: 'ann@shop.example', email_verified: 'true' }))).toBe(200);
});

// Proves rules credentials.15, credentials.16.
it('is refused without a verified email address', async () => {
  expect(await status(await sign({ email: 'ann@shop.example', email_verified: false }))).toBe(401);
  expect(await status(await sign({ email: 'ann@shop.example', email_verified: 'false' }))).toBe(401);
  expect(await status(await sign({ email: 'somebody@else.example' }))).toBe(401);
  expect(await status(await sign({}))).toBe(401);
});

// Proves rule credentials.13.
it('must have the right issuer, audience and time', async () => {
  expect(await status(await sign({ email: 'ann@shop.example' }, { issuer: 'https://other.example' }))).toBe(401);
  expect(await status(await sign({ email: 'ann@shop.example' }, { audience: 'another service' }))).toBe(401);
  expect(await status(await sign({ email: 'ann@shop.example' }, { expires: service.clock.now / 1000 - 60 }))).toBe(401);
});

// Proves rule credentials.17.
it('that cannot be reached answers 503 instead of 401', async () => {
  const other = await TestService.open({ identityProvider: { issuer, audience, jwks: 'http://127.0.0.1:9/jwks' } });
  expect((await other.get('/team', { key: await sign({ email: 'ann@shop.example' }) })).status).toBe(503);
  await other.close();
});
