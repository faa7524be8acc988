import { describe, expect, it } from 'vitest';
import { readPage, testKnowledge } from '../../../support/kb-prelude.ts';

testKnowledge();

/** Reads a page with one section. @returns its text */
async function textOf(body: string): Promise<string> {
  return Object.values(await readPage(`<main><h1>Gardens</h1><p>Come in.</p>${body}</main>`)).join('\n');
}

// Proves rule kb.67.
describe('a list has a line for each of its items', () => {
  it.each([
    ['nested without an item of its own', '<ul><li>Towel</li><ul><li>Cotton</li></ul><li>Soap</li></ul>', '- Towel\n- - Cotton\n- Soap'],
    ['in a list that has nothing else', '<ul><ul><li>Cotton</li></ul></ul>', '- - Cotton'],
    ['in other elements', '<ul><a href="/g"><li>Garden</li></a><x-item><li>Lake, 120 €</li></x-item></ul>', '- Garden\n- Lake, 120 €'],
    ['that are paragraphs', '<ul><p>Dogs are 10 € a night.</p></ul>', '- Dogs are 10 € a night.'],
    ['in a box beside text', '<ul><li><b>Pass</b><div>Bring:<ul><li>Photo</li></ul></div></li></ul>', '- Pass\nBring:\n- - Photo'],
    ['of words in different styles', '<ul><li>Dogs</li>Cats <b>are free</b>, birds too.</ul>', '- Dogs\n- Cats are free, birds too.'],
    [
      'of which one has a heading',
      '<ol><li><h4>Open</h4>Do it.</li><li>Close it.</li><li>Go.</li></ol>',
      '1. Open Do it.\n2. Close it.\n3. Go.',
    ],
    [
      'called like links',
      '<ol><li class="step prev">Unplug it</li><li class="step next">Wait</li><li>Go</li></ol>',
      '1. Unplug it\n2. Wait\n3. Go',
    ],
    ['with a date', '<ul><li><b>Yoga</b> <div class="date">12 May</div></li><li><b>Pilates</b></li></ul>', '- Yoga 12 May'],
    ['in a box of an item', '<ul><li><div>Cakes<ul><li>Apple</li><li>Plum</li></ul></div></li></ul>', '- Cakes\n- - Apple\n- - Plum'],
  ])('%s', async (_, list, lines) => {
    expect(await textOf(list)).toContain(lines);
  });

  it.each([
    ['a start', '<ol start="3"><li>Rinse.</li><li>Dry.</li></ol>', '3. Rinse.\n4. Dry.'],
    ['numbers of its own', '<ol><li>Open.</li><li value="7">Close.</li><li>Lock.</li></ol>', '1. Open.\n7. Close.\n8. Lock.'],
    ['an end', '<ol reversed><li>Second.</li><li>First.</li></ol>', '2. Second.\n1. First.'],
    ['a start that is no number', '<ol start="x"><li>Rinse.</li></ol>', '1. Rinse.'],
  ])('with its number, where it has %s', async (_, list, lines) => {
    expect(await textOf(list)).toContain(lines);
  });
});

// Proves rule kb.67.
it.each([
  ['fractions and powers', '<mfrac><mi>weight</mi><msup><mi>height</mi><mn>2</mn></msup></mfrac>', 'weight/height^2'],
  [
    'several terms and a root',
    '<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><msqrt><mi>c</mi><mo>-</mo><mn>1</mn></msqrt></mfrac>',
    '(a+b)/√(c-1)',
  ],
  ['roots and places', '<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup><mo>=</mo><mroot><mi>y</mi><mn>3</mn></mroot>', 'x_i^2=y^(1/3)'],
  ['products below a fraction', '<mfrac><mi>m</mi><mrow><mi>h</mi><mo>⋅</mo><mi>h</mi></mrow></mfrac>', 'm/(h⋅h)'],
  ['letters beside each other', '<mi>R</mi><mi>O</mi><mi>I</mi><mo>=</mo><mi>a</mi><mi>b</mi><mi>c</mi>', 'ROI=abc'],
  ['functions', '<mi>a</mi><mi>sin</mi><mo>&#8289;</mo><mi>x</mi>', 'a sin x'],
  ['a number and a fraction', '<mn>2</mn><mfrac><mn>1</mn><mn>2</mn></mfrac>', '2 1/2'],
  ['what stands below a word', '<munder><mo>lim</mo><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder><mi>a</mi>', 'lim_(x→0) a'],
  ['a brace', '<munder><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mo>⏟</mo></munder><mo>=</mo><mn>2</mn>', 'a+b=2'],
  ['a line above a letter', '<mover><mi>x</mi><mo>¯</mo></mover><mo>=</mo><mn>4</mn>', 'x¯=4'],
  [
    'rows',
    '<mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable><mo>)</mo>',
    '(1, 2; 3, 4)',
  ],
  ['words', '<mn>3</mn><mtext>per day</mtext><mo>+</mo><mi>sin</mi><mi>x</mi>', '3 per day +sin x'],
  [
    'what stands below a sign',
    '<semantics><munder><mo>∑</mo><mi>i</mi></munder><annotation encoding="application/x-tex">\\sum_i</annotation></semantics>',
    '\\sum_i',
  ],
  ['another notation', '<semantics><mi>x</mi><annotation encoding="application/x-tex">\\chi</annotation></semantics>', 'x'],
])('a formula with %s is read', async (_, formula, text) => {
  expect(await textOf(`<p>It is <math>${formula}</math>.</p>`)).toContain(`It is ${text}.`);
});

// Proves rule kb.98.
it.each([
  ['<li><span class="name">Tea</span><span class="price">$12</span></li>', 'Tea $12'],
  ['<div class="row"><span>Basic wash</span><span>£8</span></div>', 'Basic wash £8'],
  ['<div class="d-flex"><strong>Beard trim</strong><span>€ 10</span></div>', 'Beard trim € 10'],
  ['<li><span>Minimum</span><span>−20 °C</span></li>', 'Minimum −20 °C'],
  ['<li><span>Fax</span><span>(030) 55</span></li>', 'Fax (030) 55'],
  ['<p><span class="label">SKU</span><span>A-100</span></p>', 'SKU A-100'],
  ['<p><span class="room-label">Room:</span>Single</p>', 'Room: Single'],
  [
    '<table><tr><td><span class="cell-label">Price</span>$4</td><td><b class="cell-label">Size</b><span>Small</span></td></tr></table>',
    'Price $4 | Size Small',
  ],
  ['<p><time>6:00 PM</time><span class="divider"></span><time>8:00 PM</time></p>', '6:00 PM 8:00 PM'],
  ['<dl><dt>予約</dt><dd><span class="a">A</span>予約優先制です。</dd></dl>', 'A 予約優先制です。'],
  ['<p><b>A</b>社は東京にあります。</p>', 'A社は'],
  ['<p><b>Size</b>s are from S to XL.</p>', 'Sizes are'],
  ['<p><span class="label">Bed</span>rooms are bright.</p>', 'Bedrooms'],
  ['<p><span>US</span><span>$12</span></p>', 'US$12'],
  ['<p><span>km</span><sup>−2</sup></p>', 'km−2'],
  ['<p><span>2020</span><span>−2024</span></p>', '2020−2024'],
])('the columns of %s stand apart', async (row, text) => {
  expect(await textOf(row)).toContain(text);
});

// Proves rule kb.67.
it.each(['white-space:pre', 'color:red; white-space: pre-line', 'white-space: pre-wrap'])(
  'the lines of text with %s are kept',
  async (style) => {
    expect(await textOf(`<div style="${style}">tool install\ntool <b>start</b>\ntool stop</div>`)).toContain(
      'tool install\ntool start\ntool stop',
    );
  },
);

// Proves rule kb.92.
it.each([
  ['class="d-none"', 'class="d-none d-md-block"'],
  ['class="invisible"', 'class="visible"'],
  ['style="visibility: hidden"', 'style="visibility: visible"'],
  ['style="visibility: hidden"', 'class="wow fadeIn" style="visibility: hidden"'],
  ['class="invisible"', 'class="invisible md:visible"'],
  ['class="invisible"', 'class="invisible" data-aos="fade-up"'],
])('text with %s is hidden, and with %s it is not', async (hidden, shown) => {
  const text = await textOf(`<p>${'We open at nine. '.repeat(5)}</p><div ${hidden}>Message sent.</div><div ${shown}>Goulash.</div>`);
  expect([text.includes('Message sent.'), text.includes('Goulash.')]).toEqual([false, true]);
});

// Proves rule kb.92.
it.each([
  ['d-none d-md-block', 'd-md-none'],
  ['hidden md:flex', 'md:hidden'],
  ['visible-xs', 'hidden-xs'],
  ['elementor-hidden-mobile', 'elementor-hidden-desktop elementor-hidden-tablet'],
])('what is said twice, for wide and for narrow screens, is read once: %s, %s', async (wide, narrow) => {
  const text = await textOf(`<div class="${wide}"><p>Goulash, 9 €</p></div><div class="${narrow}"><p>Goulash, 9 €</p></div>`);
  expect(text.split('Goulash')).toHaveLength(2);
});

// Proves rule kb.92.
it('boxes with the same value that the same screens show are all read', async () => {
  const cell = (text: string) => `<div class="col d-none d-md-block">${text}</div>`;
  expect(await textOf(`<div class="row">${['included', 'included', '24/7'].map(cell).join('')}</div>`)).toMatch(
    /included\s+included\s+24\/7/,
  );
});

// Proves rule kb.92.
it('a formula that is a picture in other browsers is read once', async () => {
  const formula = '<span style="display: none"><math><msup><mi>x</mi><mn>2</mn></msup></math></span><img aria-hidden="true" alt="x^{2}">';
  expect(await textOf(`<p>The area is <span>${formula}</span> here.</p>`)).toContain('The area is x^2 here.');
});

// Proves rule kb.92.
it('cells of a table that only some screens show are all read', async () => {
  const row = '<tr><td>Card</td><td class="hidden-xs">10 €</td><td class="hidden-xs">10 €</td><td>12 €</td></tr>';
  expect(await textOf(`<table><tr><th>Fee<th>2023<th>2024<th>2025</tr>${row}</table>`)).toContain('Card | 10 € | 10 € | 12 €');
});
