/** The regular expression of a text such as `/nine|ten/i`; undefined for any other text. @throws SyntaxError when it is none */
export function patternOf(text: string): RegExp | undefined {
  const [, source, flags] = /^\/(.+)\/([imsu]*)$/s.exec(text) ?? [];
  return source === undefined ? undefined : new RegExp(source, flags);
}
