import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { timestamp } from '../../fields.ts';

export const getHealth = endpoint({
  name: 'health.get',
  method: 'GET',
  path: '/health',
  section: 'System',
  access: 'any',
  summary: 'Check that the service answers and the credential is valid',
  responses: {
    200: () => z.object({ status: z.literal('ok'), version: z.string(), account_id: z.string(), time: timestamp() }),
  },
});

export const getOpenApi = endpoint({
  name: 'openapi.get',
  method: 'GET',
  path: '/openapi.json',
  section: 'System',
  access: 'public',
  summary: 'Return the interface as an OpenAPI 3.1 document',
  responses: { 200: () => z.object({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }) },
});

export const healthEndpoints = [getHealth, getOpenApi] as const;
