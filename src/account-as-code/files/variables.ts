/** The variables of a folder by name. */
export type Variables = ReadonlyMap<string, string>;

/** Matches `${name}` with the name as its group, and the escape `$${` without a group. */
export const variablePattern = /\$\$\{|\$\{([^{}\n]*)\}/g;

/** How many characters variables may add to the files of an account together. A few long ones could fill the memory. */
export const mostAdded = 10_000_000;

/** The characters that variables may still add. Less than 0 once they were too many. */
export interface Room {
  left: number;
}

/** Receives the names of variables. */
interface Listener {
  readonly used: (name: string) => void;
  /** Called for one that cannot be replaced. */
  readonly unknown: (name: string) => void;
  /** Called once for all texts that share the room. */
  readonly tooLong: (name: string) => void;
}

/** Replaces `${name}` in a text. `$${` is an escaped `${`. @param room is reduced by what the variables add */
export function withVariables(text: string, variables: Variables, room: Room, { used, unknown, tooLong }: Listener): string {
  return text.replace(variablePattern, (whole, name: string | undefined) => {
    if (name === undefined) return '${';
    const value = variables.get(name.trim());
    used(name.trim());
    if (value === undefined) unknown(name.trim());
    if (value === undefined || room.left < 0) return whole;
    room.left -= value.length;
    if (room.left >= 0) return value;
    tooLong(name.trim());
    return whole;
  });
}

/** Escapes `${` in a text of the account, so that files do not treat it as a variable. */
export function withoutVariables(text: string): string {
  return text.replaceAll('${', () => '$${');
}
