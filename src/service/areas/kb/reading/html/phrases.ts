// What pages say around their content, in many languages. Other words are in `../navigation.ts`, which all formats share.

/** Matches what begins with one of some alternatives. */
function beginningWith(...alternatives: string[]): RegExp {
  return new RegExp(`^(?:${alternatives.join('|')})`, 'iu');
}

/** Matches lines that are one of some alternatives, and may end with a sign. */
function wholeLine(...alternatives: string[]): RegExp {
  return new RegExp(`^(?:${alternatives.join('|')})[.:!…»›>→]*$`, 'iu');
}

/** The headings above links to other pages. */
export const relatedHeading = beginningWith(
  'related|read (?:more|next)|top stories|up next|keep reading|in this (?:section|article)|on this page|table of contents',
  'more (?:from|on|in|stories|articles|posts|news|headlines|like)|more (?:[\\w&]+ ){1,4}(?:stories|news|headlines|articles)$',
  '(?:recently|last) viewed|(?:\\d+ )?(?:other|similar) (?:articles|posts|stories|news|products|items)|similar (?:properties|listings|homes|courses|events|jobs|recipes|rooms)|latest (?:stories|headlines|tweets)|features (?:&|and) analysis|explore related',
  'customers (?:also|who)|frequently bought|we found other products|you (?:may|might) (?:also )?(?:like|enjoy|be interested)',
  '(?:recommended|popular|trending|latest|recent)(?:$| (?:for|from|in|on|now|reading|links|searches|topics|pages|tags|categories|videos))',
  '(?:recommended|popular|trending|latest|recent) (?:news|stories|updates|comments|(?:blog )?(?:articles?|posts?))',
  'most (?:read|popular|viewed)|share this|follow us',
  'das könnte|mehr (?:zum|aus|von)|ähnliche|verwandte|zuletzt angesehen|kund(?:en|innen) kauften|lesen sie auch|auch interessant|weitere (?:artikel|beiträge|themen|produkte)|meistgelesen|beliebte(?:ste)? (?:artikel|beiträge|themen|seiten|suchen)',
  '\\d+ (?:autres produits|altri prodotti|otros productos|outros produtos|andere (?:artikel|produkte|producten))',
  'voir aussi|à lire|vous aimerez (?:aussi|peut-être)|sur le même (?:sujet|thème)|dans la même rubrique|articles? (?:liés|similaires|récents|connexes)|produits similaires',
  '(?:artículos?|productos|artigos|produtos) (?:similares|relacionad)|te puede interesar|relacionad',
  'articoli correlati|prodotti (?:simili|correlati)|leggi anche|potrebbe(?:ro)? (?:anche )?interessarti|gerelateerd|lees ook|leia (?:também|mais)|veja também',
  'zobacz (?:także|również|też)|podobne (?:artykuły|produkty|wpisy)|czytaj (?:także|również|też)|powiązane|läs (?:också|även)|relatera(?:de|t) (?:artiklar|innehåll|produkter|länkar|nyheter)|liknande (?:artiklar|produkter)',
  'похожие|читайте также|смотрите также|с этим товаром|вам может (?:понравиться|быть интересно)|[iİ]lgili (?:yazılar|haberler|makaleler|ürünler)|[iİ]lginizi çekebilir|benzer (?:ürünler|yazılar|haberler)',
  '関連(?:記事|する|商品|リンク)|おすすめ(?:記事|商品)|相关(?:文章|阅读|推荐|产品|新闻)|推荐阅读|猜你喜欢|관련 ?(?:기사|글|상품|문서)|추천 ?(?:기사|상품)',
  '(?:مقالات|منتجات|مواضيع) ذات صلة|اقرأ أيض|σχετικά (?:άρθρα|προϊόντα)|διαβάστε (?:επίσης|ακόμα)|(?:כתבות|מאמרים|מוצרים) (?:קשורים|נוספ)|यह भी पढ़ें|संबंधित',
);

/** What stands before a link to another page about the same, in one line. */
export const relatedLabel = new RegExp(
  `${
    beginningWith(
      'see also|also|(?:also )?read(?: (?:also|more|next))?|more|related(?: (?:story|stories|article|reading|content|video))?|story|photos?|video|gallery|watch|listen',
      'siehe auch|lesen sie (?:auch|hier)|mehr (?:dazu|zum thema)',
      'lire aussi|à lire aussi|voir aussi|lee también|ver también|véase también|leggi anche|vedi anche|leia (?:também|mais)|veja também',
      'lees ook|zie ook|läs (?:också|mer)|se også|les også|læs også|czytaj (?:także|też)|zobacz też|читайте также|см\\. также|ayrıca bakınız|関連記事|前の記事|次の記事|延伸阅读|相关阅读|上一[篇页]|下一[篇页]',
    ).source
  }\\s*[:：]`,
  'iu',
);

/** The headings of a column about the readers, the paper or its advertisers. */
export const asideHeading =
  /comment|kommentar|comentari|follow|folge|twitter|facebook|instagram|newsletter|reklam|werbung|anzeige|advert|publici/i;

/** What the foot of a page says. */
export const copyright = /©|copyright|all rights reserved|alle rechte/i;

/** What a page says of itself and the program that shows it: that it uses cookies, and needs scripts or another browser. */
export const siteNotice = new RegExp(
  [
    '(?:\\buses?|using|verwende[nt]?|nutz(?:en|t)|utilis(?:e|ons|ez)|usa(?:mos|mo)?|utiliza(?:mos)?|utilizz(?:a|iamo)|gebruik(?:en|t)|används?|używa(?:my)?)\\b.{0,20}cookies?',
    'cookies?.{0,60}(?:accept|agree|consent|zustimm|einverstanden|accepte[rz]|acepta|accett)|cookieを',
    '(?:enable|activate|turn on|aktivieren sie|activez|active|habilit[ae]).{0,20}java ?script|java ?script.{0,30}(?:is (?:disabled|required)|deaktiviert|desactivado|を有効)',
    '(?:old|outdated|unsupported|veralteten?) (?:web ?)?browser',
  ].join('|'),
  'iu',
);

/** The headings of menus of a page's own parts. */
export const menuHeading =
  /^(?:(?:table of )?contents|(?:on|in) this (?:page|article)|jump to|overview|inhalt(?:sverzeichnis)?|auf dieser seite|übersicht|sommaire|table des matières|índice|en esta página|indice|inhoud|оглавление|содержание|içindekiler|spis treści|目次|目录)/i;

/** What links say that skip to a part of a page. */
export const skipLink = /^(?:(?:skip|jump|zum?|aller|saltar|ir|vai|naar|hoppa)\s|przejdź|перейти|跳)|바로가기|スキップ|移動$/iu;

/** What links say that lead to the top of the page. */
export const topLink = wholeLine(
  '(?:(?:back|return|scroll|go) )?to (?:the )?top(?: of (?:the )?page)?|top of (?:the )?page|top',
  "(?:zurück )?nach oben|(?:zum )?seitenanfang|haut de (?:la )?page|retour en haut(?: de (?:la )?page)?|volver arriba|ir arriba|torna su|torna all[’']inizio|voltar ao topo",
  '(?:terug )?naar boven|till toppen|til toppen|(?:wróć )?do góry|наверх|вверх|yukarı(?: çık)?|ページ(?:の)?(?:トップ|先頭)(?:へ|に)?(?:戻る)?|トップへ戻る|返回顶部|回到顶部|맨 위로|العودة للأعلى',
);

/** What buttons say that turn pages. */
export const turnButton =
  /^(?:prev|next|zurück|weiter|vorherige|nächste|précédent|suivant|anterior|siguiente|indietro|avanti|vorige|volgende|назад|вперёд)/i;

/** The headings of notes. */
export const noteHeading =
  /^(?:hinweis|warnung|achtung|wichtig|tipp|note|warning|caution|important|tip|remarque|attention|nota|aviso|avvertenza|opmerking)/i;

/** The questions at the end of a page whether it was of use. */
export const feedbackQuestions = [
  /^(?:was|is|did) (?:this|you)\b.{0,40}\b(?:helpful|useful|answer your questions?|help you|looking for)\s*\?$/i,
  /^(?:war diese[rs]? .{1,30} hilfreich|wurde (?:ihre|deine) frage beantwortet|hat (?:ihnen|dir) diese[rs]? .{1,20} geholfen)\s*\?$/i,
  /^(?:cet(?:te)? .{1,20} (?:vous a-t-(?:il|elle) été|était-(?:il|elle)) utile|avez-vous trouvé (?:cet(?:te)? .{1,20} utile|la réponse à votre question))\s*\?$/i,
  /^¿?(?:(?:te |le )?(?:fue|ha sido|resultó|ha resultado) útil.{0,30}|respondió a (?:tu|su) pregunta)\?$/i,
  /^(?:.{0,25} è stat[oa] utile|hai ricevuto la risposta.{0,30}|es[st][ea] .{1,20} foi útil|respondeu à sua pergunta)\s*\?$/i,
  /^(?:was dit .{1,20} nuttig|heeft dit (?:je|uw) vraag beantwoord|(?:var|hjälpte) (?:den här|denna) .{1,40}|czy ten artykuł .{1,30})\s*\?$/i,
  /^(?:bu .{1,20} (?:yardımcı|faydalı) oldu mu|(?:была ли|помогла ли) .{1,30}|ήταν .{0,20}χρήσιμο|هل (?:كان|كانت|وجدت) .{1,25}مفيد.{0,10}|האם .{1,25} (?:הועיל|עזר|שימושי).{0,10})\s*[?;؟]$/iu,
  /^(?:この.{1,6}は.{0,4}(?:役に立ちましたか|参考になりましたか)|(?:这|這|此|本).{0,5}(?:有帮助|有幫助|有用)(?:吗|嗎)|이 .{1,8} 도움이 되.{1,8})\s*[?？。]?$/u,
];

/** What the heading of a form to subscribe to a newsletter says. */
export const newsletterHeading =
  /newsletter|mailing list|inbox|iscriviti|nieuwsbrief|nyhetsbrev|auf dem laufenden|inscreva|bülten|рассылк|в курсе|النشرة|ניוזלטר|メルマガ|ニュースレター|뉴스레터/iu;

/** What such a heading can say, and also one of tickets and plans, which have prices. */
export const subscriptionHeading = /subscri|abonn|suscr[ií]b|assine|订阅|訂閱|구독/i;

/** The headings of comments, with their number. */
export const commentsHeading =
  /^\(?\d*\)?\s*(?:(?:reader|user|all|recent) )?(?:comments?|responses|replies|kommentare?|kommentarer|commentaires?|comentarios?|comentários?|commenti|reacties|komentarze|комментари[ийев]+|yorumlar|コメント|评论|評論|留言|댓글|תגובות|تعليقات|σχόλια)\s*[(:]?\s*\d*\s*\)?$/iu;

/** What a visitor presses to answer a comment. */
export const commentReply = wholeLine(
  'reply|report(?: abuse)?|(?:please )?(?:log|sign) ?in to .{0,20}(?:comment|reply)',
  'antworten|kommentar melden|répondre|signaler|responder|denunciar|rispondi|segnala|beantwoorden|svara|odpowiedz|ответить|yanıtla|返信|回复|回覆|답글|رد',
);

/** What a visitor presses to write a comment. */
export const commentInvitation = wholeLine(
  '(?:post|leave|add|write|join)\\b.{0,20}\\b(?:comment|reply|conversation|discussion)',
  'kommentieren|kommentar (?:schreiben|verfassen)|commenter|laisser un commentaire|comentar|commenta|reageer|reageren|kommentera|skomentuj|комментировать|yorum yap',
);

/** What a page says that takes no more comments. */
export const commentsClosed = wholeLine(
  'comments? (?:are|have been) closed(?: .{1,20})?|.{0,40}closed (?:for|to) comments',
  'kommentare sind geschlossen|(?:die )?kommentarfunktion ist geschlossen|les commentaires sont fermés|los comentarios están cerrados|i commenti sono chiusi|comentários encerrados',
);

/** The lines that say nothing but what a visitor can do with the page. */
export const actionLine = wholeLine(
  'follow @\\w+(?: on \\w+)?|follow .{1,40} on (?:twitter|facebook|instagram|linkedin|x)(?::? ?@\\w+)?|like .{1,40} on facebook',
  '(?:\\[\\+\\] ?)?(?:click (?:here )?to )?enlarge(?: this)?(?: image| photo| picture)?|view full ?size|(?:view )?full ?screen|show (?:captions|thumbnails)',
  '(?:e-?mail|print|share|save|tweet) this(?: article| page| post| story)?|email to a friend|printer[- ]friendly(?: version)?',
  '(?:post|leave|add|write) (?:a|your) (?:comment|reply)|be the first to comment|(?:show|view|read)(?: all)?(?: \\d+)? comments?(?: \\(\\d*\\))?',
  '(?:you must (?:be logged in|log ?in|login)|log ?in|sign in) to (?:post a )?comment',
  'advertisement|(?:story|article) continues below(?: (?:this )?advertisement)?|skip advertisement|continue reading(?: the main story)?',
  'view (?:this )?(?:e-?mail|newsletter) in (?:your|a) browser|update your preferences(?: or unsubscribe)?|(?:e-?mail|newsletter) im browser (?:ansehen|anzeigen|öffnen)',
  '(?:artikel|seite|beitrag) (?:drucken|teilen|versenden|merken|weiterempfehlen)|(?:bild|foto) vergrößern|(?:kommentar|antwort) (?:schreiben|verfassen)|(?:zu den|alle) kommentaren?',
  "(?:imprimer|partager|envoyer) (?:(?:cet|cette) |l[’'])(?:article|page)|agrandir (?:l[’']image|la photo)|(?:laisser|écrire|ajouter) un commentaire|la suite après (?:cette|la) publicité",
  '(?:imprimir|compartir|enviar) (?:este artículo|esta página)|ampliar (?:la )?(?:imagen|foto)|(?:deja|dejar|escribe|añadir) un comentario',
  '(?:stampa|condividi|invia) (?:questo articolo|questa pagina)|(?:lascia|scrivi) un commento|(?:artikel|pagina) (?:afdrukken|delen)|plaats een reactie',
  '(?:написать|оставить|добавить) комментарий|(?:yorum yap|yorum yaz)|コメントを(?:書く|投稿する)|(?:发表|發表|写)评论|댓글 ?(?:쓰기|달기)',
);

/** What a link or a button says that shares a page. */
export const sharingLink = wholeLine(
  'share|print|tweet|pin(?: it)?|copy link',
  'teilen|drucken|merken|mailen|versenden|link kopieren|partager|imprimer|envoyer|copier le lien|compartir|imprimir|enviar|copiar enlace|partilhar|compartilhar',
  'condividi|stampa|invia|delen|afdrukken|dela|skriv ut|udostępnij|drukuj|поделиться|печать|paylaş|yazdır|共有|シェア|印刷|分享|打印|공유|인쇄|مشاركة|طباعة',
);

/** What a line above such links says. */
export const sharingLabel = wholeLine(
  'share(?: (?:this|it|on|via))?(?: (?:article|page|post|story))?(?: (?:on|via|with)(?: friends)?)?|spread the word',
  "(?:(?:diese[nr]? |jetzt )?(?:seite|artikel|beitrag) )?teilen(?: (?:mit|auf|über|via))?|partager(?: (?:la|cette|cet|l[’']|sur).{0,15})?|compartir(?: (?:en|esta|este).{0,15})?",
  'condividi(?: (?:su|questa|questo).{0,15})?|compartilh(?:ar|e)(?: (?:em|esta|este).{0,15})?|(?:deel|delen)(?: (?:op|via|dit|deze).{0,15})?|dela(?: (?:på|via))?|udostępnij',
  'поделиться(?: (?:в|с|этой|статьей).{0,15})?|paylaş|(?:この.{1,6}を)?(?:シェア|共有)(?:する)?|分享(?:到|至)?|공유(?:하기)?',
);

/** What a link in a heading says that edits what is below. */
export const editLink = wholeLine(
  'edit|bearbeiten|modifier|editar|modifica|bewerken|redigera|rediger|edytuj|править|редактировать|düzenle|編集|编辑|編輯|편집|تعديل|עריכה',
);

/** What may stand beside such links: other actions, and networks. */
export const networkLink = wholeLine(
  'e-?mail|save|comments?|like|follow|subscribe|facebook|twitter|x|linkedin|whatsapp|reddit|telegram|pinterest|tumblr|pocket|flipboard|xing|threads|bluesky|mastodon|google ?\\+|vk|line|lineで送る|ツイート|ポスト|はてな(?:ブックマーク)?|facebook(?:でシェア(?:する)?)?|微博|新浪微博|微信|朋友圈|qq空间|카카오톡',
);
