import { expect, it } from 'vitest';
import { kb, site, testKnowledge } from '../../../support/kb-prelude.ts';
import { measure, measuredPages } from '../../../support/pages.ts';
import { answer } from '../../../support/site.ts';

testKnowledge();

/** The texts that the FAQs of an imported page have, without the marks of lists. */
async function textOf(page: string): Promise<string> {
  site.pages.set('/page', answer(200, { 'content-type': 'text/html' }, page));
  expect(await kb.status(await kb.importPage(site.url('/page')))).toBe('ready');
  const texts = Object.entries(await kb.answers()).flat();
  return texts.join('\n').replace(/^(?:- |\d\. )/gm, '');
}

// Proves rules kb.67, kb.92.
it.each(measuredPages)('the main text of a page is read: $name', async ({ page, words }) => {
  const { precision, recall } = measure(await textOf(page), words);
  expect(recall).toBeGreaterThanOrEqual(0.97);
  expect(precision).toBeGreaterThanOrEqual(0.8);
});
