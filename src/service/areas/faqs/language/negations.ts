import type { LanguageCode } from './languages.ts';
import { stemOf } from './word-lists.ts';

/** Words that negate a sentence. Left out is what asks or means more as often, such as French "plus" and Vietnamese "không". */
const negations: Partial<Record<LanguageCode, string>> = {
  en: 'not no never none without nothing nobody unable',
  de: 'nicht kein keine keinen keiner keinem keinesfalls nichts niemand nie niemals ohne weder',
  es: 'no nunca jamás sin tampoco ningún ninguno ninguna nada nadie',
  fr: 'ne pas jamais sans aucun aucune rien',
  it: 'non mai senza nessun nessuno nessuna niente',
  pt: 'não nunca jamais sem nenhum nenhuma nada ninguém',
  nl: 'niet geen nooit zonder niets niemand',
  sv: 'inte ej aldrig utan ingen inget inga',
  da: 'ikke aldrig uden ingen intet',
  no: 'ikke aldri uten ingen ingenting',
  fi: 'ei en et emme ette eivät ilman',
  tr: 'değil yok hayır hiç olmadan',
  ru: 'не нет нельзя никогда ничего без',
  uk: 'не ні немає нема ніколи нічого без',
  ar: 'لا لم لن ليس ليست بدون دون غير',
  el: 'δεν δε μην χωρίς ποτέ',
  hu: 'nem nincs nincsen ne soha nélkül',
  ro: 'nu fără niciodată',
  pl: 'nie bez nigdy',
  cs: 'ne není nejsou nejde nelze bez nikdy',
  he: 'לא אין בלי',
  hi: 'नहीं मत बिना',
  id: 'tidak belum bukan jangan tanpa',
  zh: '没 沒 没有 沒有 不能 不要 不会 不會 无法 無法 别 別',
};

const stems = new Map<LanguageCode, ReadonlySet<string>>();

/** Whether some of the terms of a text negate it. */
export function areNegated(terms: readonly string[], language: LanguageCode): boolean {
  let known = stems.get(language);
  if (!known) {
    known = new Set((negations[language] ?? '').split(' ').map((word) => stemOf(word, language)));
    stems.set(language, known);
  }
  return terms.some((term) => known.has(term));
}
