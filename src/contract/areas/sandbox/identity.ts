import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { limits } from '../../limits.ts';
import { shared } from './shared.ts';

export const getJwks = endpoint({
  ...shared,
  access: 'public',
  name: 'sandbox.jwks',
  method: 'GET',
  path: '/sandbox/.well-known/jwks.json',
  summary: 'Return the public keys of the sandbox identity provider, and a proof that this server has the private one',
  query: () =>
    z.object({ nonce: z.string().min(1).max(limits.nonceLength).optional().describe('any text, new each time; the proof signs it') }),
  responses: {
    200: () =>
      z.object({
        keys: z.array(z.record(z.string(), z.unknown())).describe('the keys, as JSON Web Keys'),
        proof: z.string().optional().describe('the signature of the nonce, where one was given'),
      }),
  },
});
