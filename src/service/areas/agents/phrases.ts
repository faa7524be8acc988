import { fold } from '../../../contract/fold.ts';

/** A text as phrases are looked for: without regard to case, and with one space for any white space. */
function phraseForm(text: string): string {
  return fold(text).trim().replace(/\s+/gu, ' ');
}

/** Whether one of the phrases occurs in a message. Empty phrases never do. */
export function hasPhrase(message: string, phrases: readonly string[]): boolean {
  const text = phraseForm(message);
  return phrases.map(phraseForm).some((phrase) => phrase !== '' && text.includes(phrase));
}

/** The phrases of `alert_human_when`, which commas, semicolons and line ends separate. */
export function alertPhrases(alertHumanWhen: string | null): string[] {
  return (alertHumanWhen ?? '').split(/[,;\r\n]+/);
}

/** The phrases that a description quotes, in straight or typographic double quotes. */
export function quotedPhrases(description: string | null): string[] {
  return [...(description ?? '').matchAll(/["“”„«»]([^"“”„«»]+)["“”„«»]/gu)].map(([, phrase = '']) => phrase);
}
