import type { PageNode } from './dom.ts';

// What ids and classes say of an element. The lists here are tested on both, by `namesOf`; those beside the code that uses them, on classes
// alone.

/** Matches a name that has one of some words, such as `related` in `id="related-posts"`. */
export function nameWith(...words: string[]): RegExp {
  return new RegExp(`(?:^|[\\s_-])(?:${words.join('|')})(?:$|[\\s_-])`, 'i');
}

/** Words in names that tell how a page looks, and not what is in an element: `has-sidebar`, `not-footer`. */
const layoutWords = /(?:^|[\s_-])(?:has|no|not|with|without)-(?:sidebar|footer|banner|menu|nav|toc)(?=$|[\s_-])/gi;

/** A class for a part of a box that may be called like what is sold: `subscription-plan__price`. */
const partOfBox = /(?<=^|\s)((?:[\w-]*-)?(?:subscription|cookies?|menu|promo)(?:-[\w-]*?)?)__(?=\w)/g;

/** The id and the classes of an element, with their words apart. What such a box is called says nothing about its parts. */
export function namesOf(element: PageNode): string {
  return `${element.getAttribute('id') ?? ''} ${element.getAttribute('class') ?? ''}`
    .replace(partOfBox, (whole, box: string) => (element.parentNode?.closest(`[class~="${box}"]`) ? '' : whole))
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll('__', '-')
    .replace(layoutWords, ' ');
}

/** What is often beside the content. */
export const clutterName = nameWith(
  'comments?|disqus|respond|newsletter|subscri(?:be|ption)|sign-?up|login|feedback|helpful|rating',
  'cookies?|consent|gdpr|popup|modal|error|alert|banner|promo|sponsored|advert(?:isement)?|ads?',
  'related|recommend(?:ed|ations)|popular|trending|most-?read|see-?also|read-?more|up-?next|teasers?|(?:other|more)-(?:articles|stories|news)',
  'footer|menu|nav(?:igation|bar)?|(?:main|top|sub|foot)-?(?:menu|nav|bar)|sidebar|side-?rail|breadcrumbs?|pagination|pager|prev(?:ious)?|next|skip',
  'tags?|categories|share|sharing|social|author|byline|bio|date|meta|copyright|toc|table-?of-?contents|on-this-page',
);

/** Whether an element has a name that is often beside the content. */
export function isNamedLikeClutter(element: PageNode): boolean {
  return clutterName.test(namesOf(element));
}

/** Whether a class of an element is often beside the content. An id alone is an anchor, such as `menu`. */
export function hasClutterClass(element: PageNode): boolean {
  return element.hasAttribute('class') && isNamedLikeClutter(element);
}

/** What says who wrote a page and when, or leads to other parts. What is longer is content. */
export const creditName = nameWith(
  'author|byline|bio|date|meta|share|sharing|social|breadcrumbs?|pagination|pager|toc|table-?of-?contents|on-this-page|skip|copyright',
  'ads?|advert(?:isement)?|sponsored|prev(?:ious)?|next',
);

/** What presents the writer, in a sentence or two. */
export const writerName = nameWith('author|byline|bio');

/** What presents people whom a page is about. */
export const personName = nameWith('team|members?|doctors?|staff|persons?|people|speakers?|coach(?:es)?|trainers?|teachers?|agents?');

/** The facts of what a page is about. */
export const factName = nameWith('(?:events?|course|class|tour|trip|job|recipe|product|service|property|room)[_-](?:date|meta)');
export const dateName = nameWith('date');
export const eventName = nameWith('events?');
export const menuName = nameWith('menu');
export const footName = nameWith('footer');

/** What turns pages. */
export const turningName = nameWith('prev(?:ious)?|next');

/** Elements with these names may be content without a sentence. */
export const briefContentName = nameWith('menu|error|alert|popular|banner|tags?');

/** Elements whose prices belong to other products or to other people. */
export const otherPricesName = nameWith(
  'comments?|disqus|respond|related|recommend(?:ed|ations)|popular|trending|ads?|advert(?:isement)?|sponsored|up-?sells?|cross-?sells?',
);

/** What asks the visitor for something. */
export const askingName = nameWith(
  'newsletter|subscri(?:be|ption)|sign-?up|login|popup|modal|cookies?|consent|gdpr|share|sharing|social|feedback|helpful|rating',
);

/** What readers write. */
export const commentName = /comment|disqus|respond/i;

/** Notes beside a text that belong to it. */
export const noteName = nameWith('tip|note|footnote|hint|info|important|warning|caution|callout|admonition|quote');

/** Pictures that a visitor looks through. */
export const galleryName = nameWith('gall?er(?:y|ies)|slide-?show|lightbox|filmstrip|photo-?(?:list|viewer)');
