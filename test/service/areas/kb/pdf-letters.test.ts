import { expect, it } from 'vitest';
import { kb, testKnowledge } from '../../../support/kb-prelude.ts';
import { pdf, type PdfLine } from '../../../support/pdf.ts';

testKnowledge();

/** A font in which some letters stand for other characters. */
function fontWith(characters: Readonly<Record<string, string>>) {
  const letters = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
  const hex = (character: string, digits: number) => character.charCodeAt(0).toString(16).padStart(digits, '0');
  const pairs = letters.map((letter) => `<${hex(letter, 2)}> <${hex(characters[letter] ?? letter, 4)}>`);
  const cmap = `begincmap 1 begincodespacerange <00> <ff> endcodespacerange ${pairs.length} beginbfchar ${pairs.join(' ')} endbfchar endcmap`;
  return {
    fonts: { P: 6 },
    objects: {
      6: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 7 0 R >>',
      7: `<< /Length ${cmap.length} >>\nstream\n${cmap}\nendstream`,
    },
  };
}

const question: PdfLine = { text: 'Where is it?', y: 760, size: 20 };

/** Imports a page with a question and lines below it. @returns the state of the source, and the answer */
async function read(lines: readonly Omit<PdfLine, 'y'>[], characters: Readonly<Record<string, string>> = {}) {
  const below = lines.map((line, index) => ({ y: 700 - index * 14, font: 'P', ...line }));
  const state = await kb.state(await kb.importFile('a.pdf', pdf([[question, ...below]], fontWith(characters))));
  return { state, answer: (await kb.answers())['Where is it?'] };
}

// Proves rule kb.99.
it.each([
  [
    'a ligature of TeX',
    'The speciAc olBce has its oCer here.',
    { A: '\u001C', B: '\u001B', C: '\u001E' },
    'The specific olffce has its offier here.',
  ],
  ['a ligature', 'The oFce is here.', { F: '\uFB03' }, 'The office is here.'],
  ['a dash of TeX between numbers', 'From 9D17 on.', { D: '\u0015' }, 'From 9–17 on.'],
  ['a cedilla before its letter', 'As posiCcoes sao aqui.', { C: '¸' }, 'As posiçoes sao aqui.'],
  ['an ogonek that seems to begin a word', 'Do zal Oacznika jest tu.', { O: '˛' }, 'Do zalącznika jest tu.'],
  ['other control characters', 'It is hereX now.', { X: '\u0003' }, 'It is here now.'],
])('%s of a PDF is read', async (_, text, characters, answer) => {
  expect((await read([{ text }], characters)).answer).toBe(answer);
});

it('Arabic letters in the order of their places are read from right to left, with numbers as they are', async () => {
  const letters = { A: '\uFEE2', B: '\uFEDC', C: '\uFE91' };
  const text = (place: number, shown: string): Omit<PdfLine, 'y'> & { y: number } => ({ text: shown, x: 72 + place, y: 700, font: 'P' });
  const line = [text(0, 'A'), text(7.4, 'B'), text(14.8, 'C'), text(30, '24'), text(50, 'A'), text(57.4, 'B'), text(64.8, 'C')];
  expect((await read(line, letters)).answer).toContain('بكم 24 بكم');
});

// Proves rule kb.81.
it('a page of code and formulas is no gibberish', async () => {
  const lines = ['glp_get_lb(P, i); = glp_get_lb(P, i);', 'x[3][2]*x[2][0] + x[3][3]*x[3][0];', "'%defs' ';' '%import' ';' '::='"];
  const { state, answer } = await read(Array.from({ length: 30 }, (_, index) => ({ text: lines[index % 3] ?? '' })));
  expect([state.status, answer]).toEqual(['ready', expect.stringContaining('glp_get_lb(P, i);')]);
});

it('words with unreadable letters in them are not read, as in Hindi without its vowel signs', async () => {
  const text = 'The office is open from nine to five on all days of the week but Sunday, when it is closed.';
  const { state } = await read([{ text: text.replaceAll('i', 'X') }, { text: text.replaceAll('i', 'X') }], { X: '\uFFFD' });
  expect(state).toMatchObject({ status: 'failed', error_message: expect.stringContaining('which characters') });
});

it('a page that is damaged does not cost the others', async () => {
  const pages = ['North', 'South'].map((name): PdfLine[] => [question, { text: `In the ${name}.`, y: 700 }]);
  const state = await kb.state(await kb.importFile('a.pdf', pdf(pages, { objects: { 12: 'null' } })));
  expect(state).toMatchObject({ status: 'ready', error_message: expect.stringMatching(/^1 page was left out/) });
  expect(await kb.answers()).toEqual({ 'Where is it?': 'In the North.' });
});
