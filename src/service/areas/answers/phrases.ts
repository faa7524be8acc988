/** The texts of the built-in writer in a language, and the greetings that contacts use in it. */
export interface Phrases {
  /** The ISO 639-1 code and the names of the language, in lower case and without accents. */
  readonly names: readonly string[];
  /** Contains the agent's name as `{name}`. */
  readonly greeting: string;
  /** For an agent without a name. */
  readonly plainGreeting: string;
  readonly handover: string;
  /** Precedes the questions to choose from. */
  readonly clarify: string;
  /** Words and phrases that are only a greeting, in lower case, without accents or punctuation. */
  readonly greetings: readonly string[];
}

const language = (
  names: string,
  greeting: string,
  plainGreeting: string,
  handover: string,
  clarify: string,
  greetings: string,
): Phrases => ({
  names: names.split(', '),
  greeting,
  plainGreeting,
  handover,
  clarify,
  greetings: greetings.split(', '),
});

/**
 * The phrases of the built-in writer by language. The first is the default for agents without a language, or with one that is not listed.
 */
export const phrases: readonly [Phrases, ...Phrases[]] = [
  language(
    'en, english',
    "Hello, I'm {name}. How can I help you?",
    'Hello! How can I help you?',
    'Thank you for your message. A member of our team will get back to you.',
    'Which of these do you mean? Please reply with its number.',
    'hi, hello, hey, hi there, hello there, hey there, hiya, howdy, greetings, good morning, good afternoon, good evening, good day, morning, evening, how are you, how are you doing, how are you today, how is it going, hows it going, whats up, what is up, sup, yo, anyone there, is anyone there, is anybody there, are you there, everyone, all, team, sir, madam, dear',
  ),
  language(
    'de, german, deutsch',
    'Hallo, ich bin {name}. Wie kann ich Ihnen helfen?',
    'Hallo! Wie kann ich Ihnen helfen?',
    'Vielen Dank für Ihre Nachricht. Jemand aus unserem Team meldet sich bei Ihnen.',
    'Was davon meinen Sie? Bitte antworten Sie mit der Nummer.',
    'hallo, hallochen, guten morgen, guten tag, guten abend, moin, moin moin, servus, gruss gott, gruezi, gruss dich, tag, wie geht es, wie geht es ihnen, wie geht es dir, wie gehts, na, huhu, ist da jemand, jemand da, zusammen, liebes team',
  ),
  language(
    'fr, french, francais',
    'Bonjour, je suis {name}. Comment puis-je vous aider ?',
    'Bonjour ! Comment puis-je vous aider ?',
    'Merci pour votre message. Une personne de notre équipe va vous répondre.',
    'Laquelle de ces questions voulez-vous poser ? Répondez par son numéro.',
    'bonjour, bonsoir, salut, coucou, allo, bonne journee, comment allez vous, comment vas tu, comment ca va, ca va, il y a quelqu un, monsieur, madame',
  ),
  language(
    'es, spanish, espanol, castellano',
    'Hola, soy {name}. ¿En qué puedo ayudarle?',
    '¡Hola! ¿En qué puedo ayudarle?',
    'Gracias por su mensaje. Una persona de nuestro equipo le responderá.',
    '¿A cuál de estas preguntas se refiere? Responda con su número.',
    'hola, buenos dias, buen dia, buenas tardes, buenas noches, buenas, que tal, como esta, como estas, como le va, saludos, hay alguien, hola que tal',
  ),
  language(
    'it, italian, italiano',
    'Buongiorno, sono {name}. Come posso aiutarla?',
    'Buongiorno! Come posso aiutarla?',
    'Grazie per il messaggio. Una persona del nostro team le risponderà.',
    'Quale di queste domande intende? Risponda con il numero.',
    'ciao, buongiorno, buon giorno, buonasera, buona sera, buon pomeriggio, salve, come sta, come stai, come va, tutto bene, c e qualcuno',
  ),
  language(
    'pt, portuguese, portugues',
    'Olá, eu sou {name}. Como posso ajudar?',
    'Olá! Como posso ajudar?',
    'Obrigado pela sua mensagem. Uma pessoa da nossa equipa vai responder.',
    'A qual destas perguntas se refere? Responda com o número.',
    'ola, oi, bom dia, boa tarde, boa noite, tudo bem, tudo bom, como vai, como esta, e ai, alguem ai',
  ),
  language(
    'nl, dutch, nederlands',
    'Hallo, ik ben {name}. Hoe kan ik u helpen?',
    'Hallo! Hoe kan ik u helpen?',
    'Bedankt voor uw bericht. Iemand van ons team neemt contact met u op.',
    'Welke van deze vragen bedoelt u? Antwoord met het nummer.',
    'hallo, hoi, dag, goedemorgen, goedemiddag, goedenavond, goedendag, hoe gaat het, hoe is het, alles goed',
  ),
  language(
    'pl, polish, polski',
    'Dzień dobry, jestem {name}. W czym mogę pomóc?',
    'Dzień dobry! W czym mogę pomóc?',
    'Dziękujemy za wiadomość. Odpowie Państwu osoba z naszego zespołu.',
    'O które z tych pytań chodzi? Proszę odpowiedzieć numerem.',
    'czesc, dzien dobry, dobry wieczor, dobry, witam, hej, siema, halo, jak sie masz, co slychac',
  ),
  language(
    'cs, czech, cestina, cesky',
    'Dobrý den, jsem {name}. Jak vám mohu pomoci?',
    'Dobrý den! Jak vám mohu pomoci?',
    'Děkujeme za zprávu. Ozve se vám někdo z našeho týmu.',
    'Kterou z těchto otázek máte na mysli? Odpovězte prosím jejím číslem.',
    'ahoj, dobry den, dobre rano, dobry vecer, cau, zdravim, nazdar, jak se mate, jak se mas',
  ),
  language(
    'sv, swedish, svenska',
    'Hej, jag heter {name}. Hur kan jag hjälpa dig?',
    'Hej! Hur kan jag hjälpa dig?',
    'Tack för ditt meddelande. Någon i vårt team svarar dig.',
    'Vilken av dessa frågor menar du? Svara med numret.',
    'hej, hejsan, tjena, hallo, god morgon, god dag, god kvall, hur mar du, hur ar det',
  ),
  language(
    'da, danish, dansk',
    'Hej, jeg hedder {name}. Hvordan kan jeg hjælpe?',
    'Hej! Hvordan kan jeg hjælpe?',
    'Tak for din besked. En fra vores team vender tilbage til dig.',
    'Hvilket af disse spørgsmål mener du? Svar med nummeret.',
    'hej, hejsa, godmorgen, god morgen, goddag, god dag, godaften, god aften, hvordan gar det',
  ),
  language(
    'no, nb, nn, norwegian, norsk',
    'Hei, jeg heter {name}. Hvordan kan jeg hjelpe deg?',
    'Hei! Hvordan kan jeg hjelpe deg?',
    'Takk for meldingen. En fra teamet vårt svarer deg.',
    'Hvilket av disse spørsmålene mener du? Svar med nummeret.',
    'hei, heisann, hallo, god morgen, god dag, god kveld, hvordan gar det',
  ),
  language(
    'fi, finnish, suomi',
    'Hei, olen {name}. Miten voin auttaa?',
    'Hei! Miten voin auttaa?',
    'Kiitos viestistäsi. Joku tiimistämme vastaa sinulle.',
    'Mitä näistä kysymyksistä tarkoitat? Vastaa sen numerolla.',
    'hei, moi, terve, moikka, huomenta, hyvaa huomenta, hyvaa paivaa, paivaa, hyvaa iltaa, mita kuuluu',
  ),
  language(
    'tr, turkish, turkce',
    'Merhaba, ben {name}. Size nasıl yardımcı olabilirim?',
    'Merhaba! Size nasıl yardımcı olabilirim?',
    'Mesajınız için teşekkürler. Ekibimizden biri size dönecek.',
    'Bu sorulardan hangisini kastediyorsunuz? Lütfen numarasıyla yanıtlayın.',
    'merhaba, merhabalar, selam, selamlar, gunaydin, iyi gunler, iyi aksamlar, nasilsiniz, nasilsin, kimse var mi',
  ),
  language(
    'ro, romanian, romana',
    'Bună ziua, sunt {name}. Cu ce vă pot ajuta?',
    'Bună ziua! Cu ce vă pot ajuta?',
    'Vă mulțumim pentru mesaj. Cineva din echipa noastră vă va răspunde.',
    'La care dintre aceste întrebări vă referiți? Răspundeți cu numărul ei.',
    'buna, buna ziua, buna dimineata, buna seara, salut, salutare, ce mai faceti, ce faci',
  ),
  language(
    'hu, hungarian, magyar',
    'Üdvözlöm, {name} vagyok. Miben segíthetek?',
    'Üdvözlöm! Miben segíthetek?',
    'Köszönjük az üzenetét. Csapatunk egyik tagja válaszolni fog.',
    'Melyik kérdésre gondol? Kérjük, válaszoljon a számával.',
    'szia, sziasztok, hello, jo napot, jo napot kivanok, jo reggelt, jo estet, udvozlom, hogy van, hogy vagy',
  ),
  language(
    'el, greek, ελληνικα',
    'Γεια σας, είμαι ο βοηθός {name}. Πώς μπορώ να βοηθήσω;',
    'Γεια σας! Πώς μπορώ να βοηθήσω;',
    'Ευχαριστούμε για το μήνυμά σας. Κάποιος από την ομάδα μας θα σας απαντήσει.',
    'Ποια από αυτές τις ερωτήσεις εννοείτε; Απαντήστε με τον αριθμό της.',
    'γεια, γεια σας, γεια σου, καλημερα, καλησπερα, χαιρετε, τι κανετε, τι κανεις',
  ),
  language(
    'ru, russian, русскии',
    'Здравствуйте, я {name}. Чем могу помочь?',
    'Здравствуйте! Чем могу помочь?',
    'Спасибо за сообщение. Вам ответит сотрудник нашей команды.',
    'Какой из этих вопросов вы имеете в виду? Ответьте его номером.',
    'привет, здравствуите, здравствуй, здравствуи, добрыи день, добрыи вечер, доброе утро, как дела, как вы, есть кто',
  ),
  language(
    'uk, ukrainian, украінська, украинська',
    'Вітаю, я {name}. Чим можу допомогти?',
    'Вітаю! Чим можу допомогти?',
    'Дякуємо за повідомлення. Вам відповість хтось із нашої команди.',
    'Яке з цих запитань ви маєте на увазі? Відповідьте його номером.',
    'привіт, вітаю, добрии день, доброго дня, добрии вечір, доброго ранку, як справи',
  ),
  language(
    'ar, arabic, العربية, عربي',
    'مرحبًا، أنا {name}. كيف يمكنني مساعدتك؟',
    'مرحبًا! كيف يمكنني مساعدتك؟',
    'شكرًا لرسالتك. سيتواصل معك أحد أعضاء فريقنا.',
    'أي من هذه الأسئلة تقصد؟ يُرجى الرد برقمه.',
    'مرحبا, اهلا, اهلا وسهلا, السلام عليكم, سلام, صباح الخير, مساء الخير, كيف حالك, كيف الحال, هلا',
  ),
  language(
    'he, iw, hebrew, עברית',
    'שלום, אני {name}. איך אפשר לעזור?',
    'שלום! איך אפשר לעזור?',
    'תודה על ההודעה. מישהו מהצוות שלנו יחזור אליך.',
    'לאיזו מהשאלות האלה התכוונת? יש להשיב במספר שלה.',
    'שלום, היי, הי, בוקר טוב, צהריים טובים, ערב טוב, מה שלומך, מה נשמע, מה קורה',
  ),
  language(
    'hi, hindi, हिन्दी, हिनदी',
    'नमस्ते, मैं {name} हूँ। मैं आपकी क्या मदद कर सकता हूँ?',
    'नमस्ते! मैं आपकी क्या मदद कर सकता हूँ?',
    'आपके संदेश के लिए धन्यवाद। हमारी टीम का कोई सदस्य आपको जवाब देगा।',
    'आपका मतलब इनमें से किस सवाल से है? कृपया उसका नंबर लिखकर जवाब दें।',
    'नमस्ते, नमस्कार, हेलो, हैलो, हाय, सुप्रभात, कैसे हैं आप, आप कैसे हैं',
  ),
  language(
    'id, indonesian, bahasa indonesia, indonesia, ms, malay',
    'Halo, saya {name}. Ada yang bisa saya bantu?',
    'Halo! Ada yang bisa saya bantu?',
    'Terima kasih atas pesan Anda. Tim kami akan segera membalas.',
    'Yang mana dari pertanyaan ini yang Anda maksud? Balas dengan nomornya.',
    'halo, hai, selamat pagi, selamat siang, selamat sore, selamat malam, pagi, siang, sore, malam, apa kabar, permisi, assalamualaikum',
  ),
  language(
    'vi, vietnamese, tieng viet',
    'Xin chào, tôi là {name}. Tôi có thể giúp gì cho bạn?',
    'Xin chào! Tôi có thể giúp gì cho bạn?',
    'Cảm ơn tin nhắn của bạn. Nhân viên của chúng tôi sẽ trả lời bạn.',
    'Bạn muốn hỏi câu nào trong số này? Hãy trả lời bằng số của câu đó.',
    'xin chao, chao, chao ban, chao buoi sang, chao buoi toi, alo, ban khoe khong',
  ),
  language(
    'th, thai, ไทย, ภาษาไทย',
    'สวัสดี ฉันคือ {name} มีอะไรให้ช่วยไหม',
    'สวัสดี มีอะไรให้ช่วยไหม',
    'ขอบคุณสำหรับข้อความ ทีมงานของเราจะติดต่อกลับ',
    'คุณหมายถึงคำถามข้อใด กรุณาตอบด้วยหมายเลข',
    'สวัสดี, สวัสดีครับ, สวัสดีค่ะ, สวัสดีคะ, หวัดดี, ฮัลโหล, สบายดีไหม',
  ),
  language(
    'zh, chinese, mandarin, 中文, 汉语, 漢語',
    '您好，我是{name}。请问有什么可以帮您？',
    '您好！请问有什么可以帮您？',
    '感谢您的留言，我们的同事会尽快回复您。',
    '您指的是以下哪个问题？请回复其编号。',
    '你好, 您好, 你好吗, 您好吗, 嗨, 哈喽, 早上好, 早安, 下午好, 晚上好, 在吗, 有人吗',
  ),
  language(
    'ja, japanese, 日本語',
    'こんにちは、{name}です。どのようなご用件でしょうか？',
    'こんにちは！どのようなご用件でしょうか？',
    'メッセージをありがとうございます。担当者よりご連絡いたします。',
    '次のどの質問についてでしょうか？番号でお答えください。',
    'こんにちは, こんばんは, おはよう, おはようございます, はじめまして, やあ, もしもし, お元気ですか, 元気ですか',
  ),
  language(
    'ko, korean, 한국어',
    '안녕하세요, {name}입니다. 무엇을 도와드릴까요?',
    '안녕하세요! 무엇을 도와드릴까요?',
    '메시지 감사합니다. 저희 팀에서 곧 답변드리겠습니다.',
    '다음 중 어떤 질문인가요? 번호로 답해 주세요.',
    '안녕, 안녕하세요, 안녕하십니까, 여보세요, 잘 지내세요, 좋은 아침, 좋은 아침입니다',
  ),
];
