import type { PageDocument, PageNode } from './dom.ts';
import { headings, lengthOf, linksElsewhere, plainLength } from './elements.ts';
import { skips } from './page-menus.ts';
import { tidy } from './sections.ts';

// What lets a visitor do something with a page, and says nothing: print or share it, enlarge a picture, write a comment.

/** The length of the longest line with an action. */
const actionLength = 60;

/** The length of the longest line with a link to another page. */
const leadLength = 200;

/** The lines that say nothing but an action. */
const actions = wholeLine(
  'follow @\\w+(?: on \\w+)?|follow .{1,40} on (?:twitter|facebook|instagram|linkedin|x)(?::? ?@\\w+)?|like .{1,40} on facebook',
  '(?:\\[\\+\\] ?)?(?:click (?:here )?to )?enlarge(?: this)?(?: image| photo| picture)?|view full ?size|(?:view )?full ?screen|show (?:captions|thumbnails)',
  '(?:e-?mail|print|share|save|tweet) this(?: article| page| post| story)?|email to a friend|printer[- ]friendly(?: version)?',
  '(?:post|leave|add|write) (?:a|your) (?:comment|reply)|be the first to comment|(?:show|view|read)(?: all)?(?: \\d+)? comments?(?: \\(\\d*\\))?',
  '(?:you must (?:be logged in|log ?in|login)|log ?in|sign in) to (?:post a )?comment|comments (?:are|have been) closed(?: .{1,20})?',
  'advertisement|(?:story|article) continues below(?: (?:this )?advertisement)?|skip advertisement|continue reading(?: the main story)?',
  '(?:artikel|seite|beitrag) (?:drucken|teilen|versenden|merken|weiterempfehlen)|(?:bild|foto) vergrößern|(?:kommentar|antwort) (?:schreiben|verfassen)|(?:zu den|alle) kommentaren?',
  "(?:imprimer|partager|envoyer)(?: (?:cet|l[’'])? ?(?:article|page))?|agrandir (?:l[’']image|la photo)|(?:laisser|écrire|ajouter) un commentaire|la suite après (?:cette|la) publicité",
  '(?:imprimir|compartir|enviar)(?: (?:este artículo|esta página))?|ampliar (?:la )?(?:imagen|foto)|(?:deja|dejar|escribe|añadir) un comentario',
  '(?:stampa|condividi|invia)(?: (?:questo articolo|questa pagina))?|(?:lascia|scrivi) un commento|(?:artikel|pagina) (?:afdrukken|delen)|plaats een reactie',
  '(?:написать|оставить|добавить) комментарий|(?:yorum yap|yorum yaz)|コメントを(?:書く|投稿する)|(?:发表|發表|写)评论|댓글 ?(?:쓰기|달기)',
);

/** What a link or a button says that shares a page, and the networks that such links lead to. */
const sharing = wholeLine(
  'share|print|e-?mail|tweet|pin(?: it)?|save|comments?|copy link|like|follow|subscribe',
  'teilen|drucken|merken|mailen|versenden|link kopieren|partager|imprimer|envoyer|copier le lien|compartir|imprimir|enviar|copiar enlace|partilhar|compartilhar',
  'condividi|stampa|invia|delen|afdrukken|dela|skriv ut|udostępnij|drukuj|поделиться|печать|paylaş|yazdır|共有|シェア|印刷|分享|打印|공유|인쇄|مشاركة|طباعة',
);
const networks = wholeLine(
  'facebook|twitter|x|linkedin|whatsapp|reddit|telegram|pinterest|tumblr|pocket|flipboard|xing|threads|bluesky|mastodon|google ?\\+|vk|line|微博|微信',
);

/** Matches lines that are one of some alternatives, and may end with a sign. */
function wholeLine(...alternatives: string[]): RegExp {
  return new RegExp(`^(?:${alternatives.join('|')})[.:!…»›>→]*$`, 'iu');
}

/** What stands before a link to another page about the same. */
const label =
  /^(?:see also|also|(?:also )?read(?: (?:also|more|next))?|more|related(?: (?:story|stories|article|reading|content|video))?|story|photos?|video|gallery|watch|listen|siehe auch|lesen sie (?:auch|hier)|mehr (?:dazu|zum thema)|lire aussi|à lire aussi|voir aussi|lee también|ver también|véase también|leggi anche|vedi anche|leia (?:também|mais)|veja também|lees ook|zie ook|läs (?:också|mer)|se også|les også|læs også|czytaj (?:także|też)|zobacz też|читайте также|см\. также|ayrıca bakınız|関連記事|延伸阅读|相关阅读)\s*[:：]/iu;

/** Removes lines of actions, lines that only lead to other pages, and lists of links that share the page. */
export function removeActions(document: PageDocument): void {
  for (const element of [...document.body.querySelectorAll('p, div, span, a, li')])
    if (isAction(element) || leadsOn(element)) element.remove();
  for (const list of [...document.body.querySelectorAll('ul, ol, p, div')]) if (sharesPage(list)) list.remove();
}

/** Whether an element is a line of its own that says an action. */
function isAction(element: PageNode): boolean {
  if (element.closest(`${headings}, dt, summary, pre, code, table`)) return false;
  const text = tidy(element.textContent ?? '');
  return text.length <= actionLength && (actions.test(text) || isSkip(element, text)) && isOwnLine(element);
}

/** Whether an element is a link that skips to a part of the page. */
function isSkip(element: PageNode, text: string): boolean {
  return element.matches('a[href^="#"]') && skips.test(text);
}

/** Whether a line is nothing but a link to another page, with a word that says so. */
function leadsOn(element: PageNode): boolean {
  if (!/^(?:P|DIV)$/i.test(element.nodeName) || lengthOf(element) > leadLength || isBelowHeading(element)) return false;
  const [words] = label.exec(tidy(element.textContent ?? '')) ?? [];
  return words !== undefined && element.querySelector(linksElsewhere) !== null && plainLength(element) <= words.length + 1;
}

/** Whether an element is what a heading before it is about. */
function isBelowHeading(element: PageNode): boolean {
  return element.previousElementSibling?.matches(headings) ?? false;
}

/** Whether no text stands beside an element, as around a word of a sentence. */
function isOwnLine(element: PageNode): boolean {
  if (/^(?:P|DIV|LI)$/i.test(element.nodeName)) return true;
  return [element.previousSibling, element.nextSibling].every((beside) => beside?.nodeType !== 3 || lengthOf(beside) === 0);
}

/** Whether an element has two or more links, all of which share the page. Links to networks alone may be those of whom it is about. */
function sharesPage(list: PageNode): boolean {
  const items = itemsOf(list);
  return (
    items.length > 1 &&
    !isBelowHeading(list) &&
    items.some((text) => sharing.test(text)) &&
    items.every((text) => sharing.test(text) || networks.test(text)) &&
    list.querySelector('a, button') !== null
  );
}

/** The texts of a short list, or of what stands in a line; none of what is longer. */
function itemsOf(list: PageNode): string[] {
  const nodes = [...list.childNodes].filter((node) => lengthOf(node) > 0);
  if (nodes.length > 12 || lengthOf(list) > 12 * actionLength) return [];
  return nodes.map((node) => tidy(node.textContent ?? '')).filter((text) => /[\p{L}]/u.test(text));
}
