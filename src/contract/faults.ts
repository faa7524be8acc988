import * as z from 'zod';

const match = () =>
  z.object({
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
    path: z.string().max(1_000).startsWith('/', { error: "must be a path under /v1, such as '/tags' or '/tags*'" }).optional(),
  });

/** What a fault does, and to which requests. */
export const faultFields = () => ({
  match: match().optional(),
  status: z.int().min(400).max(599).optional(),
  delay_ms: z.int().min(1).max(600_000).optional(),
  drop: z.literal(true).optional(),
  times: z.int().min(1).max(1_000_000).optional(),
  rate: z.number().gt(0).max(1).optional(),
  seed: z.int().optional(),
  reporting_database: z.literal('down').optional(),
});

/** A fault, as it was asked for. */
export type FaultFields = z.output<z.ZodObject<ReturnType<typeof faultFields>>>;
