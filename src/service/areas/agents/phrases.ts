import { foldSpaces } from '../../../contract/text/fold.ts';
import { limits } from '../../../contract/limits.ts';
import { TextIndex } from '../../../contract/text/text-index.ts';

/** Separates phrases while they are folded. No text contains it. */
const separator = '\0';

/** A message in which phrases are looked for, ignoring case and white space. */
export class SearchedMessage {
  readonly #text: TextIndex;

  /** @param message as the contact wrote it. If it stands for more characters than a text can have, the rest is left out */
  constructor(message: string) {
    this.#text = new TextIndex(foldSpaces(message).slice(0, limits.textLength));
  }

  /** Whether one of the phrases occurs in the message. Empty phrases never do. */
  has(phrases: readonly string[]): boolean {
    // Folding them together is several times as fast as one by one, and there can be tens of thousands.
    const folded = foldSpaces(phrases.join(separator)).split(separator);
    return folded.some((phrase) => phrase.trim() !== '' && this.#text.includes(phrase.trim()));
  }

  /**
   * Whether the message asks for a person, that is, has one of the phrases in `alert_human_when`. Phrases are separated by commas,
   * semicolons and line ends.
   */
  asksForPeople(alertHumanWhen: string | null): boolean {
    return this.has((alertHumanWhen ?? '').split(/[,;\r\n]+/));
  }
}

/** The phrases that a description quotes, in straight or typographic double quotes. */
export function quotedPhrases(description: string | null): string[] {
  return ((description ?? '').match(/["“”„«»][^"“”„«»]+["“”„«»]/gu) ?? []).map((quoted) => quoted.slice(1, -1));
}
