import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readPage } from '../../../../src/service/areas/kb/reading/html/read-page.ts';
import { isLongSweep } from '../../../support/sweeps.ts';

const names =
  'main article section header footer nav aside div p span a ul ol li dl dt dd h1 h2 h3 table tr td form label button figure details summary blockquote pre code math';
const classes =
  'footer header cookie-banner consent newsletter comments related gallery sidebar date rating tags menu label accordion tab panel faq-question answer hidden d-none invisible sr-only card price';
const texts = [
  'We open at nine.',
  'Newsletter',
  'Comments',
  'Share this page',
  'Facebook',
  'Was this helpful?',
  'How do I pay?',
  '$12',
  'Tel. 0431 555 010',
  'Saturday, 19:30',
  'Back to top',
  '© 2024 Acme',
  '営業時間',
];
const attributes = [
  'hidden',
  'aria-expanded="false"',
  'role="tab"',
  'role="tabpanel"',
  'role="tablist"',
  'href="/"',
  'href="#a"',
  'href="mailto:a@b.example"',
  'id="a"',
  'style="white-space:pre"',
  'style="display:none"',
  'start="3"',
  'value="7"',
];

const { page } = fc.letrec<{ page: string; node: string; element: string }>((tie) => ({
  page: fc.array(tie('node'), { minLength: 1, maxLength: 6 }).map((nodes) => nodes.join('')),
  node: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    fc.constantFrom(...texts, '<img>', '<br>', '<input type="email">', '<!-- x -->'),
    tie('element'),
  ),
  element: fc
    .tuple(
      fc.constantFrom(...names.split(' ')),
      fc.option(fc.constantFrom(...classes.split(' '))),
      fc.option(fc.constantFrom(...attributes)),
      tie('page'),
    )
    .map(([name, called, attribute, content]) => `<${name} ${attribute ?? ''} ${called ? `class="${called}"` : ''}>${content}</${name}>`),
}));

// Proves rule kb.67.
it('any page is read, whatever its elements are', () => {
  fc.assert(
    fc.property(page, (body) => {
      const { sections, kept } = readPage(
        Buffer.from(`<title>Acme | Gardens</title>${body}`),
        'text/html; charset=utf-8',
        'https://acme.example/a',
      );
      expect(kept).toBeGreaterThanOrEqual(0);
      for (const { text } of sections) expect(typeof text).toBe('string');
    }),
    { numRuns: isLongSweep ? 1_000 : 200 },
  );
});
