import { parseHTML } from 'linkedom';

/** The part of the DOM that is used. The platform's types would include the whole browser API. */
interface HtmlElement {
  textContent: string;
  getAttribute(name: string): string | null;
  before(text: string): void;
  after(text: string): void;
  append(text: string): void;
  remove(): void;
  querySelectorAll(selector: string): Iterable<HtmlElement>;
}

/** Elements that do not say what is true now, or nothing to a reader. */
const dropped = 'script, style, template, del, s, strike';
const paragraphs = 'p, div, h1, h2, h3, h4, h5, h6, ul, ol, dl, table, blockquote, pre, section, article, figure, hr';
const lines = 'br, tr, dt, dd';

/** Mark the breaks in a text, whose other white space says nothing. */
const lineMark = '\ue000';
const paragraphMark = '\ue001';

/** Matches a text that is HTML as editors of help desks write it: from the beginning to the end in blocks. */
const blocks = /^\s*<(?:p|div|h[1-6]|ul|ol|table|blockquote|pre|section|article|figure)\b[^>]*>[\s\S]*<\/\w+>\s*$/i;

/** Whether a text is HTML, and no text that has a tag in it. */
export function isHtml(text: string): boolean {
  return blocks.test(text);
}

/** The text of HTML for people who read it in a chat: with paragraphs, lists and the addresses of links. */
export function htmlText(html: string): string {
  const { document } = parseHTML(`<html><body>${html}</body></html>`) as unknown as { document: { body: HtmlElement } };
  const all = (selector: string) => [...document.body.querySelectorAll(selector)];
  for (const element of all(dropped)) element.remove();
  for (const element of all('pre')) element.textContent = element.textContent.replaceAll('\n', lineMark);
  for (const element of all('a[href]')) element.append(addressAfter(element.textContent, element.getAttribute('href') ?? ''));
  for (const element of all('li')) element.before(`${lineMark}- `);
  for (const element of all('td, th')) element.after(' ');
  for (const element of all(lines)) element.before(lineMark);
  for (const element of all(paragraphs)) {
    element.before(paragraphMark);
    element.after(paragraphMark);
  }
  const text = document.body.textContent
    .replace(/[^\S\u00a0]+/g, ' ')
    .replaceAll(lineMark, '\n')
    .replaceAll(paragraphMark, '\n\n');
  return text
    .replace(/[^\S\n]*\n[^\S\n]*/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^-\n+/gm, '- ')
    .trim();
}

/** The address of a link that its text does not show. */
function addressAfter(text: string, address: string): string {
  const shown = address.replace(/^(mailto|tel):/i, '');
  return /^(https?|mailto|tel):/i.test(address) && !text.includes(shown) ? ` (${shown})` : '';
}
