import type { PageDocument, PageNode } from './dom.ts';
import { hasTextBefore, headings, lengthOf } from './elements.ts';
import { hasPriceOrNumber, price } from './prices.ts';
import { tidy } from './sections.ts';

// Boxes with a request to the visitor: to say whether the page was of use, to subscribe to a newsletter, or to write a comment.

/** The question at the end of a page whether it was of use. */
const feedbackQuestions = [
  /^(?:was|is|did) (?:this|you)\b.{0,40}\b(?:helpful|useful|answer your questions?|help you|looking for)\s*\?$/i,
  /^(?:war diese[rs]? .{1,30} hilfreich|wurde (?:ihre|deine) frage beantwortet|hat (?:ihnen|dir) diese[rs]? .{1,20} geholfen)\s*\?$/i,
  /^(?:cet(?:te)? .{1,20} (?:vous a-t-(?:il|elle) été|était-(?:il|elle)) utile|avez-vous trouvé (?:cet(?:te)? .{1,20} utile|la réponse à votre question))\s*\?$/i,
  /^¿?(?:(?:te |le )?(?:fue|ha sido|resultó|ha resultado) útil.{0,30}|respondió a (?:tu|su) pregunta)\?$/i,
  /^(?:.{0,25} è stat[oa] utile|hai ricevuto la risposta.{0,30}|es[st][ea] .{1,20} foi útil|respondeu à sua pergunta)\s*\?$/i,
  /^(?:was dit .{1,20} nuttig|heeft dit (?:je|uw) vraag beantwoord|(?:var|hjälpte) (?:den här|denna) .{1,40}|czy ten artykuł .{1,30})\s*\?$/i,
  /^(?:bu .{1,20} (?:yardımcı|faydalı) oldu mu|(?:была ли|помогла ли) .{1,30}|ήταν .{0,20}χρήσιμο|هل (?:كان|كانت|وجدت) .{1,25}مفيد.{0,10}|האם .{1,25} (?:הועיל|עזר|שימושי).{0,10})\s*[?;؟]$/iu,
  /^(?:この.{1,6}は.{0,4}(?:役に立ちましたか|参考になりましたか)|(?:这|這|此|本).{0,5}(?:有帮助|有幫助|有用)(?:吗|嗎)|이 .{1,8} 도움이 되.{1,8})\s*[?？。]?$/u,
];

/** What the heading of a form to subscribe to a newsletter says, and what it may also say of tickets and plans, which have prices. */
const newsletter =
  /newsletter|mailing list|inbox|iscriviti|nieuwsbrief|nyhetsbrev|auf dem laufenden|inscreva|bülten|рассылк|в курсе|النشرة|ניוזלטר|メルマガ|ニュースレター|뉴스레터/iu;
const subscription = /subscri|abonn|suscr[ií]b|assine|订阅|訂閱|구독/i;

/** The heading of comments, with their number. */
const commentsHeading =
  /^\(?\d*\)?\s*(?:(?:reader|user|all|recent) )?(?:comments?|responses|replies|kommentare?|kommentarer|commentaires?|comentarios?|comentários?|commenti|reacties|komentarze|комментари[ийев]+|yorumlar|コメント|评论|評論|留言|댓글|תגובות|تعليقات|σχόλια)\s*[(:]?\d*\)?$/iu;

/** What a visitor presses to write a comment, or beside one. */
const commentControl =
  /^(?:(?:post|leave|add|write|join)\b.{0,20}\b(?:comment|reply|conversation|discussion)|reply|report(?: abuse)?|log ?in to .{0,20}(?:comment|reply)|kommentieren|kommentar (?:schreiben|verfassen|melden)|antworten|répondre|commenter|laisser un commentaire|signaler|responder|comentar|denunciar|rispondi|commenta|segnala|reageer|reageren|beantwoorden|svara|kommentera|odpowiedz|skomentuj|ответить|комментировать|yanıtla|yorum yap|返信|回复|回覆|답글|رد)$/iu;

/** The most text that stands beside such a question, or beside such a form. */
const boxLength = 200;

/** Removes the boxes of a page. */
export function removeBoxes(document: PageDocument): void {
  for (const element of [...document.body.querySelectorAll(`${headings}, p, div, span, legend, label`)])
    if (asksForFeedback(element)) feedbackBox(element).remove();
  for (const form of [...document.body.querySelectorAll('form')]) newsletterBox(form)?.remove();
  for (const heading of [...document.body.querySelectorAll(headings)])
    if (commentsHeading.test(tidy(heading.textContent ?? ''))) for (const part of commentsBelow(heading)) part.remove();
}

/** Whether an element asks if the page was of use. */
function asksForFeedback(element: PageNode): boolean {
  const own = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent ?? '');
  const text = tidy(own.join(''));
  return feedbackQuestions.some((question) => question.test(text));
}

/** The outermost element that begins with a question, and has little more. */
function feedbackBox(question: PageNode): PageNode {
  let box = question;
  for (let node = question.parentNode; node && !isOuter(node); node = node.parentNode) {
    if (hasTextBefore(box) || lengthOf(node) > lengthOf(question) + boxLength) break;
    if (hasOtherHeading(node, question) || (node.textContent ?? '').includes('@') || hasPriceOrNumber(node.textContent ?? '')) break;
    box = node;
  }
  return box;
}

function hasOtherHeading(box: PageNode, question: PageNode): boolean {
  return [...box.querySelectorAll(`${headings}, summary, dt`)].some((each) => each !== question && each !== question.parentNode);
}

/** The box with a form to subscribe to a newsletter and its heading; undefined for other forms. */
function newsletterBox(form: PageNode): PageNode | undefined {
  if (!form.querySelector('input[type="email" i], input[name*="email" i]')) return undefined;
  let box: PageNode | undefined;
  for (let node: PageNode | null = form; node && !isOuter(node); node = node.parentNode) {
    if (lengthOf(node) > lengthOf(form) + boxLength) break;
    const names = [...node.querySelectorAll(headings)];
    if (names.some((name) => !isNewsletter(name, node))) break;
    if (names.length > 0) box = node;
  }
  return box;
}

/** The comments below a heading, with it: the box that it begins, or what stands after it up to the next heading. Empty for text about comments. */
function commentsBelow(heading: PageNode): PageNode[] {
  let box = heading;
  while (!hasTextBefore(box) && box.parentNode && !isOuter(box.parentNode)) box = box.parentNode;
  if (!hasTextBefore(box)) return [];
  const parts = [box];
  if (box === heading)
    for (let next = box.nextElementSibling; next && !next.matches(headings); next = next.nextElementSibling) parts.push(next);
  return parts.some(hasCommentControl) ? parts : [];
}

function hasCommentControl(element: PageNode): boolean {
  const controls = [...element.querySelectorAll('a, button, input[type="submit" i]')];
  return controls.some((control) => commentControl.test(tidy(control.getAttribute('value') ?? control.textContent ?? '')));
}

function isNewsletter(heading: PageNode, box: PageNode): boolean {
  const text = tidy(heading.textContent ?? '');
  return newsletter.test(text) || (subscription.test(text) && !price.test(box.textContent ?? ''));
}

function isOuter(element: PageNode): boolean {
  return /^(?:BODY|MAIN|ARTICLE)$/i.test(element.nodeName);
}
