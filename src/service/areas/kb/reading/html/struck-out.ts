import { price } from '../prices.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { headings } from './elements.ts';

/** Elements and class names for text that is struck out. */
const struckOut = [
  'del, s, strike, [role="deletion" i]',
  ...['line-through', 'strikethrough', 'text-decoration-line-through'].map((name) => `.${name}`),
].join();

const decoration = /(?:^|[;\s])text-decoration(?:-line)?\s*:([^;]*)/gi;
const lineThrough = /\bline-through\b/i;

/** The selectors that are read: tags, classes and ids, one within the other. Those for a state, such as `:hover`, are not. */
const named = String.raw`[.#]-?[a-z_][\w-]*`;
const compound = `(?:[a-z][\\w-]*(?:${named})*|(?:${named})+)`;
const simpleSelector = new RegExp(`^${compound}(?:(?:\\s*>\\s*|\\s+)${compound})*$`, 'i');

/** The rules of a style sheet that apply to a page on a screen, and the maximum number of those that are read. */
const screenRules = /^@layer\b|^@media\s+(?:all|screen)\s*$/i;
const rulesMax = 200;

/** The class of a former price, which a style sheet of its own strikes out. One such as `has-old-price` is of another element. */
const formerPrice =
  /(?:^|\s)(?!(?:has|is|no|with)-)(?:[\w-]*[_-])?(?:(?:old|was|former|original|compare-at)-?price|price-?(?:old|was|original)|list-price-price|prc-org)(?:\s|$)/i;

/** Removes text that is struck out: it does not apply any more. */
export function removeStruckOut(document: PageDocument): void {
  const former = [...document.querySelectorAll('[class*="price" i], [class*="prc-org" i]')].filter(isFormerPrice);
  // Several are a list of prices.
  for (const [parent, [element, ...others]] of Map.groupBy(former, ({ parentNode }) => parentNode))
    if (parent && element && others.length === 0 && hasPriceBeside(element, parent)) element.remove();
  const struck = struckByRules(document);
  for (const element of document.querySelectorAll('[style]')) {
    const isStruck = isStruckBy(element.getAttribute('style') ?? '');
    if (isStruck !== undefined) struck.set(element, isStruck);
  }
  for (const element of document.querySelectorAll(struckOut)) struck.set(element, true);
  for (const [element, isStruck] of struck) if (isStruck && !/^(html|body)$/i.test(element.nodeName)) element.remove();
}

function isFormerPrice(element: PageNode): boolean {
  if (!formerPrice.test(element.getAttribute('class') ?? '') || /^(?:LI|TR|TD)$/.test(element.nodeName)) return false;
  const text = element.textContent ?? '';
  return text.length <= priceLength && price.test(text) && element.querySelector(headings) === null;
}

/** Whether an element has the price that applies beside a former one. */
function hasPriceBeside(former: PageNode, parent: PageNode): boolean {
  const text = parent.textContent ?? '';
  return text.length <= 3 * priceLength && price.test(text.replace(former.textContent ?? '', ''));
}

/** The length of the longest price with what is said of it, and the white space between. */
const priceLength = 100;

/** Whether declarations strike out; undefined when they do not say it. */
function isStruckBy(declarations: string): boolean | undefined {
  const last = [...declarations.matchAll(decoration)].at(-1);
  return last && lineThrough.test(last[1] ?? '');
}

/** A rule of a style sheet. */
interface Rule {
  readonly selector: string;
  readonly declarations: string;
}

/** Whether elements are struck out, by the style sheets that the page contains. */
function struckByRules(document: PageDocument): Map<PageNode, boolean> {
  const struck = new Map<PageNode, boolean>();
  const sheets = [...document.querySelectorAll('style:not([media="print" i])')].map(({ textContent }) => textContent ?? '');
  if (!sheets.some((sheet) => lineThrough.test(sheet))) return struck;
  const rules = sheets.flatMap(rulesIn).filter(({ declarations }) => isStruckBy(declarations) !== undefined);
  // Of two rules for an element, the later one counts, unless the other is more specific.
  for (const { selector, declarations } of rules.slice(0, rulesMax).toSorted((a, b) => weightOf(a) - weightOf(b)))
    for (const element of document.querySelectorAll(selector)) struck.set(element, isStruckBy(declarations) === true);
  return struck;
}

/** The rules of a style sheet with simple selectors, one for each selector. */
function rulesIn(sheet: string): Rule[] {
  const rules: Rule[] = [];
  /** What stands before the braces that are open. */
  const open: string[] = [];
  for (const [, text = '', end] of sheet.replace(/\/\*[^]*?(?:\*\/|$)/g, ' ').matchAll(/([^{}]*)([{}]|$)/g)) {
    if (end === '') break;
    if (end === '{') open.push(text.slice(text.lastIndexOf(';') + 1).trim());
    else {
      const selectors = open.pop() ?? '';
      if (!open.every((each) => screenRules.test(each))) continue;
      const simple = selectors
        .split(',')
        .map((each) => each.trim())
        .filter((each) => simpleSelector.test(each));
      for (const selector of simple) rules.push({ selector, declarations: text });
    }
  }
  return rules;
}

/** How specific a rule is: ids count more than classes, and these more than tags. */
function weightOf({ selector, declarations }: Rule): number {
  const [ids, classes, tags] = [/#/g, /\./g, /(?:^|[\s>])\w/g].map((part) => selector.match(part)?.length ?? 0);
  const isImportant = [...declarations.matchAll(decoration)].some(([each]) => /!\s*important/i.test(each));
  return (isImportant ? 1e9 : 0) + (ids ?? 0) * 1e6 + (classes ?? 0) * 1e3 + (tags ?? 0);
}
