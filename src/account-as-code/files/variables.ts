/** The variables of a folder, by their names. */
export type Variables = ReadonlyMap<string, string>;

/** A variable, with its name; or `$${`, without one. */
export const variablePattern = /\$\$\{|\$\{([^{}\n]*)\}/g;

/**
 * Replaces `${name}` in a text. `$${` stands for `${`.
 * @param unknown called with the name of each variable that is not there
 */
export function withVariables(text: string, variables: Variables, unknown: (name: string) => void): string {
  return text.replace(variablePattern, (whole, name: string | undefined) => {
    if (name === undefined) return '${';
    const value = variables.get(name.trim());
    if (value === undefined) unknown(name.trim());
    return value ?? whole;
  });
}

/** A text of the account as files have it, where `${` would be a variable. */
export function withoutVariables(text: string): string {
  return text.replaceAll('${', () => '$${');
}
