import type { Session } from '../../verb/noun.ts';
import { sameTarget } from '../../verb/same-target.ts';
import { shellWord } from '../../output/shell-word.ts';
import { terminalText } from '../../output/cell.ts';
import type { Webhook } from '../../receivers/health.ts';

/**
 * A command for a webhook on the same target as this command, to be copied and run.
 * @param words the noun and the verb
 * @param options further words, already quoted
 */
export function commandFor(session: Session, words: string, { id, name }: Webhook, options = ''): string {
  // A name cannot be used as an argument if it looks like an id or an option, or if a terminal would display it differently.
  const word = /^(\d+$|-)/.test(name) || terminalText(name) !== name ? id : name;
  return `msgctl ${words} ${shellWord(word)}${options === '' ? '' : ` ${options}`}${sameTarget(session)}`;
}
