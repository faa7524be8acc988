import { foldSpaces } from '../../../contract/fold.ts';

/** Whether one of the phrases occurs in a message, ignoring case and white space. Empty phrases never match. */
export function hasPhrase(message: string, phrases: readonly string[]): boolean {
  const text = foldSpaces(message);
  return phrases.map(foldSpaces).some((phrase) => phrase !== '' && text.includes(phrase));
}

/**
 * Whether a message asks for a person, that is, contains one of the phrases in `alert_human_when`. Phrases are separated by
 * commas, semicolons and line ends.
 */
export function asksForPeople(message: string, alertHumanWhen: string | null): boolean {
  return hasPhrase(message, (alertHumanWhen ?? '').split(/[,;\r\n]+/));
}

/** The phrases that a description quotes, in straight or typographic double quotes. */
export function quotedPhrases(description: string | null): string[] {
  return [...(description ?? '').matchAll(/["“”„«»]([^"“”„«»]+)["“”„«»]/gu)].map(([, phrase = '']) => phrase);
}
