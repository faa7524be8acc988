import { html } from './site.ts';

/** A page whose main text is known. */
export interface MeasuredPage {
  readonly name: string;
  readonly page: string;
  /** The words of its main text. */
  readonly words: readonly string[];
}

const subjects = ['harbour', 'orchard', 'lantern', 'granite', 'violin', 'meadow', 'copper', 'glacier'];

/** A paragraph of words that no other paragraph has, with ordinary words between them. */
function prose(name: string, sentences = 3): string {
  return Array.from({ length: sentences }, (_, index) => {
    const subject = subjects[(name.length + index) % subjects.length] as string;
    return `The ${subject} ${name}${index} is what ${name} readers asked about, and the ${name} answer follows in ${index + 2} parts.`;
  }).join(' ');
}

const p = (name: string, sentences?: number) => `<p>${prose(name, sentences)}</p>`;
const link = (name: string) => `<a href="/${name}">Elsewhere ${name} page</a>`;
const links = (name: string, count = 4) =>
  `<ul>${Array.from({ length: count }, (_, index) => `<li>${link(name + String(index))}</li>`).join('')}</ul>`;

const top = `<header class="site-header"><a class="logo" href="/">Brand</a><nav>${links('top')}</nav></header>`;
const bottom = `<footer class="site-footer"><div class="col">${links('bottom')}</div><p>© Brand, all rights reserved</p></footer>`;
const cookies = `<div id="cookie-consent" class="cookie-banner"><p>We value your privacy and set trackers.</p><button>Accept</button></div>`;
const newsletter = `<div class="newsletter-signup"><h3>Get our newsletter</h3><p>Stay informed weekly.</p><form><input type="email"><button>Subscribe</button></form></div>`;
const related = `<div class="related-posts"><h3>Related posts</h3>${links('related')}</div>`;
const share = `<div class="share-buttons"><a href="https://x.example/share">Tweet</a><a href="https://f.example/share">Post</a></div>`;
const byline = `<div class="byline">By <a href="/author/ann">Ann Author</a>, 3 May</div>`;
const tags = `<div class="tags"><a href="/tag/one">one</a> <a href="/tag/two">two</a></div>`;
const bio = `<div class="author-bio"><p>Ann Author writes for Brand since 2009 and lives by the sea.</p></div>`;
const comments = `<div id="comments" class="comments-area"><h3>2 comments</h3><ol class="comment-list">
  <li class="comment"><div class="comment-author">Bob</div><div class="comment-content"><p>${'I liked this very much and shall return tomorrow. '.repeat(3)}</p></div><a href="#reply">Reply</a></li>
  <li class="comment"><div class="comment-author">Cy</div><div class="comment-content"><p>Not convinced, frankly speaking.</p></div></li></ol>
  <div id="respond"><h3>Leave a reply</h3><form><textarea></textarea><input name="name"></form></div></div>`;
const sidebar = `<div class="sidebar"><h4>Popular</h4>${links('popular')}<h4>About Brand</h4><p>Brand is a company.</p></div>`;
const aside = `<aside><h4>Latest</h4>${links('latest')}</aside>`;

/** Bodies: the main text. */
const bodies: Record<string, string> = {
  article: `<h1>Title alpha</h1>${p('a', 4)}${p('b', 4)}<h2>Second part</h2>${p('c', 4)}<blockquote>${p('q', 1)}</blockquote>${p('d')}`,
  list: `<h1>Title beta</h1>${p('a', 2)}<ol><li>${prose('s', 1)}</li><li>${prose('t', 1)}</li></ol><h2>Then</h2><ul><li>One thing</li><li>Another thing</li></ul>${p('e', 4)}`,
  table: `<h1>Prices</h1>${p('a', 3)}<table><tr><th>Size</th><th>Price</th></tr>${Array.from({ length: 6 }, (_, row) => `<tr><td>Size ${row}</td><td>${row * 7} crowns</td></tr>`).join('')}</table>${p('f', 3)}`,
  questions: ['ship', 'pay', 'return', 'repair', 'lend'].map((word) => `<h2>Do you ${word}?</h2>${p(word, 2)}`).join(''),
  code: `<h1>Install</h1>${p('a', 3)}<pre><code>npm install brand\nbrand start --port 80</code></pre><h2>Configure</h2>${p('g', 3)}<dl><dt>port</dt><dd>${prose('port', 1)}</dd><dt>host</dt><dd>${prose('host', 1)}</dd></dl>`,
  short: `<h1>Hours</h1><p>We open at nine and close at six.</p>`,
};

/** Layouts: what stands around the main text. */
const layouts: Record<string, (body: string) => string> = {
  'blog with main': (body) =>
    `${top}<main><article>${byline}${body}${share}${tags}</article>${bio}${related}${comments}</main>${aside}${bottom}${cookies}`,
  'blog of divs': (body) =>
    `<div id="wrap">${top}<div id="content"><div class="post"><div class="entry-content">${byline}${body}${share}</div>${tags}</div>${related}${comments}</div>${sidebar}${newsletter}${bottom}</div>${cookies}`,
  news: (body) =>
    `${cookies}${top}<div class="page"><div class="col-8"><article class="story">${body}<div class="newsletter">${newsletter}</div></article></div><div class="col-4">${sidebar}</div></div>${related}${bottom}`,
  documentation: (body) =>
    `<div class="document"><div class="sphinxsidebar"><h3>Contents</h3>${links('toc', 8)}</div><div class="body" role="main">${body.replace(/<(h[12])>(.*?)<\/\1>/g, '<$1>$2<a class="headerlink" href="#x">¶</a></$1>')}</div></div><div class="related" role="navigation">${links('rel')}</div><div class="footer">© Brand. Created using a generator.</div>`,
  'help centre': (body) =>
    `${top}<div class="hc"><ol class="breadcrumbs"><li>${link('home')}</li><li>${link('help')}</li></ol><div class="article-body">${body}</div><div class="article-votes"><form><input type="radio" name="v"><button>Yes</button></form></div><section class="related-articles"><h3>Related articles</h3>${links('help')}</section></div>${bottom}`,
  shop: (body) =>
    `${top}<div class="container"><div class="row"><div class="product-description">${body}</div></div><div class="recommended"><h2>You may also like</h2>${links('product', 5)}</div></div>${newsletter}${bottom}${cookies}`,
  'old tables': (body) =>
    `<table width="100%"><tr><td>${links('nav', 6)}</td><td valign="top">${body}</td></tr></table><center>Copyright Brand</center>`,
  'sections of a page': (body) =>
    `${top}${body
      .split(/(?=<h2>)/)
      .map((part) => `<section class="block"><div class="inner">${part}</div></section>`)
      .join('')}${newsletter}${bottom}`,
  'form of a portal': (body) =>
    `<form method="post" action="./"><input type="hidden" name="state">${top}<div id="main-area">${body}</div>${bottom}</form>`,
};

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const textOf = (body: string) => body.replace(/<[^>]*>/g, ' ');

/** Pages of many layouts, with their main text. */
export const measuredPages: readonly MeasuredPage[] = Object.entries(layouts).flatMap(([layout, around]) =>
  Object.entries(bodies).map(([kind, body]) => ({
    name: `${layout}: ${kind}`,
    page: html('Brand', around(body)),
    words: wordsOf(textOf(body)),
  })),
);

/** How much of the words that were read is main text, and how much of the main text was read. */
export function measure(read: string, words: readonly string[]): { readonly precision: number; readonly recall: number } {
  const left = new Map<string, number>();
  for (const word of words) left.set(word, (left.get(word) ?? 0) + 1);
  const found = wordsOf(read);
  const right = found.filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count > 0;
  }).length;
  return { precision: right / Math.max(1, found.length), recall: right / Math.max(1, words.length) };
}
