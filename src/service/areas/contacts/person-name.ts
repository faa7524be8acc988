/** The first word of a name that somebody typed, and the rest. */
export function splitName(name: string | null): { readonly firstName: string | null; readonly lastName: string | null } {
  const [first, ...rest] = name?.trim().split(/\s+/) ?? [];
  return { firstName: first ? first : null, lastName: rest.length > 0 ? rest.join(' ') : null };
}
