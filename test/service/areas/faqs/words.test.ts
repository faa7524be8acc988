import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { likenessOf, rootKey, typoKeys } from '../../../../src/service/areas/faqs/language/likeness.ts';
import { correctionOf, rankOf } from '../../../../src/service/areas/faqs/language/word-lists.ts';
import { bareText } from '../../../../src/service/areas/faqs/same-words.ts';
import { sharedWords, informationOf, wordsOf } from '../../../../src/service/areas/faqs/language/words.ts';

describe('the words of a text', () => {
  it.each([
    // Proves rule answers.23.
    ['Returns, returned; RETURNING!', 'en', ['return']],
    ['Die Öffnungszeiten in der Straße', 'de', ['offnungszeit', 'offnung', 'zeit', 'strass']],
    ['Kosten für den Versand? Versandkosten!', 'de', ['kost', 'versand', 'versandkost']],
    ['Wie melde ich mich an?', 'de', ['anmeld']],
    ['Ich melde mich heute ab und komme wieder', 'de', ['abmeld', 'heut', 'komm', 'wied']],
    ['Wer löst den Gutschein ein?', 'de', ['wer', 'einlos', 'gutschein']],
    ['Was steht an der Wand?', 'de', ['steht', 'wand']],
    ['Siparişim nerede? Siparişlerimi nasıl bulurum?', 'tr', ['siparis', 'nere', 'bulur']],
    ['Где мой заказ? Как отменить заказы?', 'ru', ['мо', 'заказ', 'отмен']],
    ['كيف أدفع ثمن الطلب في المتجر؟', 'ar', ['ادفع', 'ثمن', 'طلب', 'متجر']],
    ['هل الفاتورة في الحساب؟ والفاتورة؟', 'ar', ['فاتور', 'حساب']],
    ['איך פותחים חשבון? בחשבון, לחשבון והחשבון', 'he', ['פותחים', 'חשבון']],
    ['मेरा खाता कैसे बंद करें? एक खाते में', 'hi', ['मेर', 'ख', 'कैस', 'बंद', 'म']],
    ['Bagaimana cara membuka rekening? Apakah rekening saya dibuka?', 'id', ['cara', 'buka', 'rekening']],
    // Proves rule answers.25.
    ['model 1234 and 12345, XJ-900s', 'en', ['model', '1234', '12345', 'xj900s']],
    ['error E-101, E 101, e101; room 12 B', 'en', ['error', 'e101', 'room', '12b']],
    ['1,000 EUR and 1.000 EUR, 9:30 and 9.30', 'en', ['1000', 'eur', '9.30']],
    ['C# and C++', 'en', ['c#', 'c++']],
    ['5G and 5g', 'en', ['5g']],
    ['the 200GB plan, 5 km and 5km', 'en', ['200', 'gb', 'plan', '5', 'km']],
    ["The app can't start, and I haven't paid", 'en', ['app', 'start', 'paid']],
    // Proves rule answers.26.
    ['How do I get to the shop?', 'en', ['shop']],
    ['Wie komme ich zum Laden?', 'de', ['komm', 'zum', 'lad']],
    ['Who are you?', 'en', ['who', 'ar', 'you']],
    ['', 'en', []],
    ['?!', 'en', []],
    ['Tôi bị mất thẻ, làm thế nào?', 'vi', ['mất', 'thẻ']],
    // Proves rule answers.27.
    ['我的信用卡丢了怎么办？', 'zh', ['信用', '用卡', '丢', '办']],
    ['เปิดหรือปิดบัญชี', 'en', ['เปิด', 'หรือ', 'ปิด', 'บัญชี']],
    ['予約確認', 'en', ['予約', '確認']],
    ['App打不开，怎么退款', 'zh', ['app', '打不', '不开', '退款']],
    ['30분 배송', 'en', ['30', '분', '배송']],
    ['何時に開きますか', 'en', ['何時', '時に', 'に開', '開き']],
    ['ファイルマネージャーを開く', 'en', ['ファイル', 'マネージャ', 'を開', '開く']],
    ['サーバーとサーバのキー', 'en', ['サーバ', 'キー']],
    ['スマホとサブスクリプション', 'en', ['スマホ', 'サブスクリプション']],
    ['영업 시간', 'ko', ['영업', '시간']],
    ['店', 'en', ['店']],
  ])('%j in %s are %j, when they tell something', (text, language, terms) => {
    const { language: found, words } = wordsOf(text);
    const all = [...new Set(words.flatMap(({ term, parts }) => [term, ...parts]))];
    const telling = all.filter((term) => informationOf(term, found) > 0);
    expect([found, telling.length > 0 ? telling : all]).toEqual([language, terms]);
  });

  // Proves rule answers.27.
  it('say nothing, and are not rare, when they are endings and particles of Japanese and Chinese', () => {
    expect(['ます', 'くだ', '怎么'].map((term) => [informationOf(term, 'en'), rankOf(term, 'en')])).toEqual(Array(3).fill([0, 1]));
    const [mixed, loan] = ['を開', 'サーバ'].map((term) => informationOf(term, 'en'));
    expect([mixed! > 0, mixed! < loan!]).toEqual([true, true]);
  });

  it('are in the expected language when nothing tells another one', () => {
    expect([wordsOf('Versandkosten', 'de').language, wordsOf('Where is the parcel?', 'de').language]).toEqual(['de', 'en']);
  });
});

describe('a loan word of Japanese', () => {
  it.each([
    // Proves rule answers.22.
    ['カード', 'クレジットカード', 0.8],
    ['アプリケーション', 'アプリ', 0.8],
    ['プリン', 'プリンタ', 0],
    ['リジット', 'クレジットカード', 0],
    ['card', 'creditcard', 0],
  ])('%s is like %s by %d', (one, other, likeness) => {
    expect(likenessOf(one, other)).toBe(likeness);
  });
});

describe('a word that is none of its language', () => {
  it.each([
    // Proves rule answers.24.
    ['nnos', 'es', 'ninos'],
    ['tegno', 'es', 'tengo'],
    ['contries', 'en', 'countries'],
    ['breach', 'en', undefined],
    ['qwertzuiop', 'en', undefined],
  ] as const)('%s in %s means %s', (word, language, meant) => {
    expect(correctionOf(word, language)).toBe(meant);
  });

  it('is a misspelling; of two words of the language, neither is', () => {
    const isWord = (word: string) => ['breach', 'reach'].includes(word);
    expect([likenessOf('breach', 'reach', isWord), likenessOf('raech', 'reach', isWord)]).toEqual([0, 0.8]);
  });
});

describe('the similarity of words', () => {
  it.each([
    ['return', 'return', 1],
    // Proves rules answers.22, answers.24.
    ['return', 'retrun', 0.8],
    ['return', 'retur', 0.8],
    ['return', 'returrn', 0.8],
    ['return', 'resurn', 0.8],
    ['delivery', 'dilivrey', 0.8],
    ['delivery', 'dilvrei', 0],
    ['return', 'rterun', 0],
    ['size', 'szie', 0.8],
    ['size', 'site', 0],
    ['cat', 'act', 0],
    ['parking', 'parkplatz', 0.4],
    ['deliver', 'delivered', 0.8],
    ['order', 'orchid', 0],
    ['1234', '1235', 0],
    ['開店', '開业', 0],
  ])('of %s and %s is %d', (one, other, likeness) => {
    expect(likenessOf(one, other)).toBe(likeness);
    expect(likenessOf(other, one)).toBe(likeness);
  });

  // Proves rule answers.23.
  it('is high when a word is the other without its accents, which other words have too', () => {
    expect(['thẻ', 'thế', 'thỏ'].map((word) => likenessOf('the', word))).toEqual([0.95, 0.95, 0]);
    expect(likenessOf('thẻ', 'thế')).toBe(0);
  });

  it.each([
    ['return', ['retrun', 'retur', 'returrn', 'resurn', 'eturn', 'returning']],
    ['delivery', ['dilivery', 'delivrey', 'delivering', 'dleivery', 'delivary']],
    ['size', ['szie']],
    ['parking', ['parkplatz', 'prking', 'aprking', 'parkin']],
  ])('is above zero only for words that share an index key: %s', (word, others) => {
    const keys = (each: string) => new Set([rootKey(each), ...typoKeys(each)]);
    for (const other of others) {
      expect(likenessOf(word, other), other).toBeGreaterThan(0);
      expect(keys(word).isDisjointFrom(keys(other)), other).toBe(false);
    }
  });
});

// Proves rule answers.30.
it('the similarity of texts includes weak words', () => {
  expect(sharedWords('When do you open?')('when DO you open')).toBe(1);
  expect(sharedWords('When do you open?')('Do they open?')).toBeCloseTo(2 / 5);
  expect(sharedWords('')('')).toBe(0);
});

describe('the punctuation around words', () => {
  const plain = /(?:[\p{Pe}\p{Pf}.,;:!?…]|(?<!\p{N}["']*)["'])+$/u;

  // Proves rule gaps.2.
  it('is left out as a pattern would leave it out', () => {
    const mark = fc.constantFrom('a', '5', '"', "'", '.', '”', '?', ')', 'é');
    fc.assert(
      fc.property(fc.string({ unit: mark, minLength: 1, maxLength: 12 }), (text) => {
        const word = `a${text}`;
        expect(bareText(word).folded).toBe(bareText(word.replace(plain, '')).folded);
      }),
    );
  });

  it('is left out of a message of ten thousand quotes, which a pattern would try for hours', () => {
    expect(bareText(`zz${'"'.repeat(9_990)}`).folded).toBe('zz');
    expect(bareText(`zz${'"'.repeat(9_990)}x`).tokens).toHaveLength(2);
  });
});
