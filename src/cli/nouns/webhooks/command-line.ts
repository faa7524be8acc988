import type { Session } from '../../command/noun.ts';
import { sameTarget } from '../../command/same-target.ts';
import { shellWord } from '../../command/shell-word.ts';
import { terminalText } from '../../output/cell.ts';
import type { Webhook } from '../../receivers/health.ts';

/**
 * A command on a webhook that acts where this one does, to be copied and run as it is.
 * @param words the noun and the verb
 * @param options further words, already quoted
 */
export function commandFor(session: Session, words: string, { id, name }: Webhook, options = ''): string {
  // A name that looks like an id or a flag, or that would be printed differently, is not usable as an argument.
  const word = /^(\d+$|-)/.test(name) || terminalText(name) !== name ? id : name;
  return `msgctl ${words} ${shellWord(word)}${options === '' ? '' : ` ${options}`}${sameTarget(session)}`;
}
