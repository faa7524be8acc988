/** How useful a page is for an agent's knowledge. */
export interface Score {
  /** From 0 to 100. */
  readonly score: number;
  readonly recommendation: 'add' | 'maybe' | 'skip';
  /** The main reason for the score. */
  readonly reason_key: ReasonKey;
}

type ReasonKey =
  | 'home_page'
  | 'helpful_content'
  | 'listed_as_important'
  | 'close_to_home'
  | 'ordinary_page'
  | 'far_from_home'
  | 'news'
  | 'legal'
  | 'log_in'
  | 'cart'
  | 'tag_archive'
  | 'pagination'
  | 'search_results'
  | 'calendar';

interface ScoredPage {
  readonly url: URL;
  readonly title: string | null;
  /** The number of links, or of path segments, between the start and the page. */
  readonly depth: number;
  /** The priority in its sitemap, from 0 to 1. */
  readonly priority: number | null;
}

/** The minimum score of a recommended page. */
const addFrom = 90;

/** Pages without useful content for contacts, by patterns for their paths and queries. */
const skipped: readonly (readonly [ReasonKey, RegExp])[] = [
  [
    'log_in',
    /(^|\/)(log-?in|log-?out|sign-?(in|up|out)|register|anmelden|einloggen|my-?account|account|password|wp-admin|wp-login\.php)(\/|$|\.)/i,
  ],
  ['cart', /(^|\/)(cart|basket|checkout|warenkorb|kasse|wishlist|merkzettel)(\/|$|\.)/i],
  ['tag_archive', /(^|\/)(tags?|category|categories|author|archives?|schlagwort|kategorie)(\/|$)/i],
  ['pagination', /(^|\/)page\/\d+(\/|$)|[?&](page|paged|p|offset|start|seite)=\d+/i],
  ['search_results', /(^|\/)(search|suche)(\/|$)|[?&](q|s|query|search|filter|sort|orderby)=/i],
  ['calendar', /(^|\/)(calendar|kalender|events?)\/\d{4}(\/|-|$)|[?&](date|month|year|day|week)=/i],
];

const helpful =
  /\b(faqs?|help|hilfe|support|questions?|fragen|shipping|delivery|versand|returns?|refunds?|r(ü|ue)ckgabe|pricing|prices?|preise|plans|contact|kontakt|about|services?|leistungen|guides?|docs?|how-?to|opening-?hours|hours|(ö|oe)ffnungszeiten|warranty|payment|zahlung|sizes?|manual|tutorials?|knowledge|kb)\b/i;
const news = /\b(blog|news|press|presse|aktuelles|stories|jobs|careers?|karriere)\b/i;
const legal = /\b(privacy|datenschutz|terms|agb|imprint|impressum|legal|cookies?|disclaimer)\b/i;

/** Scores a page by its depth, its priority in the sitemap, and words in its path and title. */
export function scoreOf({ url, title, depth, priority }: ScoredPage): Score {
  const path = decoded(url.pathname);
  for (const [reason, pattern] of skipped) if (pattern.test(path) || pattern.test(url.search)) return scored(0, reason);
  const words = `${path.replace(/[-_/.]+/g, ' ')} ${title ?? ''}`;
  const base = 100 - depth * 15 + Math.round(((priority ?? 0.5) - 0.5) * 40);
  if (path === '/' && url.search === '') return scored(Math.max(base, addFrom), 'home_page');
  if (helpful.test(words)) return scored(base + 20, 'helpful_content');
  if (legal.test(words)) return scored(base - 30, 'legal');
  if (news.test(words)) return scored(base - 25, 'news');
  if (priority !== null && priority >= 0.8) return scored(base, 'listed_as_important');
  if (depth <= 1) return scored(base, 'close_to_home');
  return scored(base, depth >= 4 ? 'far_from_home' : 'ordinary_page');
}

function scored(value: number, reason: ReasonKey): Score {
  const score = Math.max(0, Math.min(100, value));
  return { score, recommendation: score >= addFrom ? 'add' : score < 20 ? 'skip' : 'maybe', reason_key: reason };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
