import * as z from 'zod';

const match = () =>
  z.object({
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional().describe('only requests with this method'),
    path: z
      .string()
      .max(1_000)
      // A path with the prefix would never match a request.
      .regex(/^(\/(?!v1(?!\w))|\*$)/, { error: "must be a path under /v1 without this prefix, such as '/tags' or '/tags*', or '*'" })
      .optional()
      .describe('only requests to this path under /v1; with a trailing *, to every path that begins with the text before it'),
  });

/** The fields of a fault: its effect, and the requests that it matches. */
export const faultFields = () => ({
  match: match().optional().describe('which requests fail'),
  status: z.int().min(400).max(599).optional().describe('answer with this HTTP status'),
  delay_ms: z.int().min(1).max(600_000).optional().describe('milliseconds to wait before the answer'),
  drop: z.literal(true).optional().describe('close the connection without an answer'),
  times: z.int().min(1).max(1_000_000).optional().describe('how many requests fail before the fault ends'),
  rate: z.number().gt(0).max(1).optional().describe('the share of requests that fail, above 0 and up to 1'),
  seed: z.int().optional().describe('the seed that selects which requests fail with rate'),
  reporting_database: z.literal('down').optional().describe('make the reporting database unavailable'),
});

/** A fault as defined in a request. */
export type FaultFields = z.output<z.ZodObject<ReturnType<typeof faultFields>>>;
