import { foldCase } from '../../../contract/text/fold.ts';
import { isSimilar } from '../../../contract/text/similarity.ts';

// Decides whether two texts of FAQs say the same (rules faqs.28 and faqs.29).

/** The minimum similarity of two texts that differ in the spelling of words. */
export const leastSimilarity = 0.9;

/** The minimum number of letters of a word that can have two spellings. */
const shortestWord = 4;

/** Words of which other letters make another word, not another spelling: one character of these scripts is a word or a syllable. */
const withoutLetters = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;

/** Negations of at least `shortestWord` letters, without apostrophes. */
const negations = new Set(
  `never none nothing nowhere nobody neither without cannot dont cant wont isnt arent wasnt werent hasnt havent doesnt didnt
   couldnt shouldnt wouldnt mustnt nein kein keine keinen keiner keinem keines nicht nichts niemand niemals ohne nirgends weder
   nada nadie nunca jamás ningún ninguno ninguna tampoco jamais rien aucun aucune sans personne niente nessuno nessuna nessun senza
   niet geen niets nooit niemand zonder nenhum nenhuma ninguém inte ingen aldrig utan ikke aldri aldrig uden uten
   никогда ничего никто нельзя není nikdy nigdy yoktur değil hiçbir`.split(/\s+/u),
);

/** Numbers of at least `shortestWord` letters that one letter turns into another number. */
const numberWords = new Set(
  `four five seven eight nine eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty
   sixty seventy eighty ninety hundred thousand third fourth fifth sixth seventh eighth ninth tenth half
   drei vier fünf sechs sieben acht neun zehn zwölf zwei eins eine dreizehn vierzehn fünfzehn sechzehn zwanzig dreißig vierzig fünfzig
   sechzig siebzig achtzig neunzig hundert tausend dritte vierte fünfte sechste siebte achte neunte zehnte halb
   deux trois quatre cinq sept huit neuf onze douze treize quatorze quinze seize vingt trente quarante cinquante soixante cent mille
   cuatro cinco seis siete ocho nueve diez once doce trece catorce quince veinte treinta cuarenta cincuenta sesenta setenta ochenta
   noventa cien ciento cientos cero quattro cinque sette otto nove dieci undici dodici tredici venti trenta quaranta cinquanta
   sessanta settanta ottanta novanta cento duecento trecento seicento settecento quatro sete oito doze treze vinte trinta sessenta
   vier vijf zeven acht negen tien twaalf dertig veertig vijftig zestig zeventig tachtig negentig honderd duizend`.split(/\s+/u),
);

/** A word of a text, or a number or a code, which has no other spelling. */
interface Token {
  /** Without case. */
  readonly folded: string;
  /** Whether another spelling of it is possible. */
  readonly isWord: boolean;
}

/** A text, split into words for comparison. */
export interface BareText {
  /** The words without case, separated by spaces. */
  readonly folded: string;
  readonly tokens: readonly Token[];
}

/** What can stand before and after a word. */
const before = /^[\p{Ps}\p{Pi}"'¿¡]+/u;
const after = /[\p{Pe}\p{Pf}.,;:!?…。！？，、؟؛۔]/u;

/** What separates words of letters without white space. Dots, slashes and other marks make an address or a code. */
const separators = /[,;:!?…—–()"„“”]+/u;

/** A word whose parts are joined, as in `e-mail` and `don't`. */
const joinedWord = /^\p{L}[\p{L}\p{M}]*(?:['’‘ʼ\-‐‑\u00ad][\p{L}\p{M}]+)*$/u;

/**
 * Takes punctuation, case and the amount of white space from a text. What belongs to a number or a code stays, as in `1.5`, `.5`, `-5`,
 * `5 %`, `C#` and `a-b@example.com`. A text of punctuation alone keeps it.
 */
export function bareText(text: string): BareText {
  const pieces = text.normalize('NFC').trim().split(/\s+/u);
  const hasDigit = (piece = '') => /\p{N}/u.test(piece);
  const tokens = pieces.flatMap((piece, index) => {
    const core = withoutEnd(piece.replace(before, ''));
    if (/[\p{L}\p{N}\p{S}]/u.test(core)) return tokensOf(core);
    // A mark that stands alone matters beside a number, as in `5 %` and `5 - 10`.
    return hasDigit(pieces[index - 1]) || hasDigit(pieces[index + 1]) ? [codeOf(piece)] : [];
  });
  const kept = tokens.length > 0 ? tokens : pieces.map(codeOf);
  return { folded: kept.map(({ folded }) => folded).join(' '), tokens: kept };
}

/** A text without the punctuation at its end. A regular expression would take too long for long runs. */
export function withoutEnd(piece: string): string {
  let end = piece.length;
  for (;;) {
    while (after.test(piece.charAt(end - 1))) end--;
    let start = end;
    while (/["']/.test(piece.charAt(start - 1))) start--;
    // A quote after a digit is a unit, as in `5"`.
    if (start === end || /\p{N}/u.test(piece.charAt(start - 1))) return piece.slice(0, end);
    end = start;
  }
}

function tokensOf(core: string): Token[] {
  if (joinedWord.test(core)) return [wordOf(core)];
  const parts = core.split(separators).filter((part) => part !== '');
  return parts.length > 1 && parts.every((part) => joinedWord.test(part)) ? parts.map(wordOf) : [codeOf(core)];
}

function codeOf(piece: string): Token {
  return { folded: foldCase(piece), isWord: false };
}

function wordOf(joined: string): Token {
  const word = joined.replace(/['’‘ʼ\-‐‑\u00ad]/gu, '');
  return { folded: foldCase(word), isWord: !/[-‐‑]/u.test(joined) && canBeMisspelled(word) };
}

/** Whether two texts are equal, or so similar that they differ only in the spelling of words. */
export function saySame(one: BareText, other: BareText): boolean {
  if (one.folded === other.folded) return true;
  if (one.tokens.length !== other.tokens.length) return false;
  return (
    one.tokens.every((token, index) => areSpellings(token, other.tokens[index] as Token)) &&
    isSimilar(one.folded, other.folded, leastSimilarity)
  );
}

/** Whether two words are the same, or spellings of one word. A word that lacks the first letter of another one is another word. */
function areSpellings(one: Token, other: Token): boolean {
  if (one.folded === other.folded) return true;
  if (!one.isWord || !other.isWord) return false;
  const [left, right] = [[...one.folded], [...other.folded]];
  return areOneLetterApart(left, right) && left.slice(1).join('') !== other.folded && right.slice(1).join('') !== one.folded;
}

/** Whether a word can have another spelling: it is no code, number, negation or short word. */
function canBeMisspelled(word: string): boolean {
  const folded = foldCase(word);
  const isLong = [...word].length >= shortestWord && !withoutLetters.test(word);
  return isLong && !isCode(word) && !negations.has(folded) && !numberWords.has(folded);
}

/** Whether a word has capitals after its first letter, as codes and names of products do, or is a Roman number. */
function isCode(word: string): boolean {
  return /.\p{Lu}/u.test(word) || /^[ivxlcdm]+$/i.test(word);
}

function areOneLetterApart(one: readonly string[], other: readonly string[]): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  const at = long.findIndex((letter, index) => letter !== short[index]);
  const rest = long.slice(at + 1).join('');
  return rest === short.slice(short.length === long.length ? at + 1 : at).join('');
}
