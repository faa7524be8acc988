import { ApiError } from '../errors.ts';

/** Literal segments take precedence over parameters: `/api-keys/current` is not the key with the id `current`. */
export function bySpecificity<Located extends { readonly path: string }>(located: readonly Located[]): Located[] {
  return located.toSorted((a, b) => a.path.split(':').length - b.path.split(':').length);
}

/** The parameters of a path, decoded. What cannot be decoded stays as it is. */
export function decodeAll(params: Record<string, string>): Record<string, string> {
  const decoded: Record<string, string> = {};
  for (const name in params) decoded[name] = decode(params[name] ?? '');
  return decoded;
}

function decode(value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** The 405 for a method that a path does not have. @param methods those that it has */
export function methodNotAllowed(method: string, methods: readonly string[]): ApiError {
  const allowed = methods.join(', ');
  return new ApiError(405, `${method} is not allowed on this path; allowed: ${allowed}`, {}, { allow: allowed });
}
