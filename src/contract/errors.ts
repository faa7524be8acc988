import * as z from 'zod';

/** The errors whose `error_code` is a name instead of a status, with their HTTP statuses (rule conventions.17). */
export const namedErrors = {
  key_read_only: 403,
  key_scope_denied: 403,
  invalid_scopes: 400,
  kb_import_page_limit: 400,
  kb_import_insufficient_credits: 402,
  analytics_unavailable: 503,
} as const;

export type NamedError = keyof typeof namedErrors;

const names = Object.keys(namedErrors) as [NamedError, ...NamedError[]];

/** The body of every error answer. */
export const errorEnvelope = () =>
  z.object({
    success: z.literal(false),
    error: z.string(),
    error_code: z.union([z.int(), z.enum(names)]),
    reason: z.string().optional().describe('a stable word for what was refused'),
    field: z.string().optional().describe('the path of the field that was refused'),
  });
