/** Escapes a text, so that a regular expression matches it as it stands. Node 22 has no `RegExp.escape`. */
export function escapeRegExp(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}
