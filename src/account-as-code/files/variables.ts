/** The variables of a folder by name. */
export type Variables = ReadonlyMap<string, string>;

/** Matches `${name}` with the name as its group, and the escape `$${` without a group. */
export const variablePattern = /\$\$\{|\$\{([^{}\n]*)\}/g;

/**
 * Replaces `${name}` in a text. `$${` is an escaped `${`.
 * @param unknown called with the name of each variable that is not defined
 */
export function withVariables(text: string, variables: Variables, unknown: (name: string) => void): string {
  return text.replace(variablePattern, (whole, name: string | undefined) => {
    if (name === undefined) return '${';
    const value = variables.get(name.trim());
    if (value === undefined) unknown(name.trim());
    return value ?? whole;
  });
}

/** Escapes `${` in a text of the account, so that files do not treat it as a variable. */
export function withoutVariables(text: string): string {
  return text.replaceAll('${', () => '$${');
}
