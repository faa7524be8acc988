import { escapeRegExp } from './escape-reg-exp.ts';

/** Makes a test for texts that fit a pattern, in which `*` is any text and `?` any character. */
export function fits(pattern: string): (text: string) => boolean {
  const source = escapeRegExp(pattern).replaceAll('\\*', '.*').replaceAll('\\?', '.');
  const whole = new RegExp(`^${source}$`, 's');
  return (text) => whole.test(text);
}
