import type { MarkedFaq } from '../document.ts';
import { tidy } from '../sections.ts';
import type { PageNode } from './dom.ts';
import { parsePage } from './parse-page.ts';
import { textOf } from './text-of.ts';

/** The questions that a page marks for search engines, as JSON-LD or microdata (schema.org/FAQPage). */
export function markedFaqs(document: PageNode): MarkedFaq[] {
  const found = [...linkedData(document), ...microdata(document)];
  const seen = new Set<string>();
  return found.filter(({ question, answer }) => question !== '' && answer !== '' && !seen.has(question) && seen.add(question));
}

function linkedData(document: PageNode): MarkedFaq[] {
  return [...document.querySelectorAll('script[type="application/ld+json"]')].flatMap(({ textContent }) => {
    try {
      return questionsIn(JSON.parse(textContent ?? ''), 0);
    } catch {
      // Pages can have invalid JSON-LD. Their text is still read.
      return [];
    }
  });
}

/** The maximum depth to which the JSON-LD of a page is searched. */
const deepest = 10;

function questionsIn(value: unknown, depth: number): MarkedFaq[] {
  if (depth > deepest || value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) return value.flatMap((item) => questionsIn(item, depth + 1));
  const data = value as Record<string, unknown>;
  if (isOfType(data, 'Question')) return [questionOf(data)];
  return ['@graph', 'mainEntity', 'hasPart'].flatMap((name) => questionsIn(data[name], depth + 1));
}

function isOfType(data: Record<string, unknown>, type: string): boolean {
  return [data['@type']].flat().includes(type);
}

function questionOf(data: Record<string, unknown>): MarkedFaq {
  const [answer] = [data.acceptedAnswer ?? data.suggestedAnswer].flat() as (Record<string, unknown> | undefined)[];
  return { question: plain(data.name ?? data.text), answer: plain(answer?.text) };
}

/** A text that is HTML itself, and does not only name elements. */
const escapedHtml = /^<(p|div|ul|ol|span|h[1-6])\b[^<>]*>[^]*<\/\1>/i;

/** The text of a value. Answers in JSON-LD can be HTML, also with its signs escaped. */
function plain(value: unknown): string {
  if (typeof value !== 'string') return '';
  const text = tidy(textOf(parsePage(value).body));
  return escapedHtml.test(text) ? tidy(textOf(parsePage(text).body)) || text : text;
}

function microdata(document: PageNode): MarkedFaq[] {
  return [...document.querySelectorAll('[itemtype$="schema.org/Question"]')].map((question) => ({
    question: textIn(question, '[itemprop="name"]'),
    answer: textIn(question, '[itemtype$="schema.org/Answer"] [itemprop="text"]') || textIn(question, '[itemprop="text"]'),
  }));
}

function textIn(node: PageNode, selector: string): string {
  const found = node.querySelector(selector);
  return found ? tidy(textOf(found)) : '';
}
