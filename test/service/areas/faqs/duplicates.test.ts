import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ComparedFaq, findDuplicates, type Sameness } from '../../../../src/service/areas/faqs/duplicates.ts';
import { bareText, saySame } from '../../../../src/service/areas/faqs/same-words.ts';

function duplicatesOf(faqs: readonly ComparedFaq[], sameness: Sameness = 'spelling'): (number | undefined)[] {
  const finding = findDuplicates(faqs, sameness);
  for (;;) {
    const step = finding.next();
    if (step.done) return step.value;
  }
}

/** Compares every pair. */
function naively(faqs: readonly ComparedFaq[]): (number | undefined)[] {
  const same = (a: string, b: string) => saySame(bareText(a), bareText(b));
  const joined: (number | undefined)[] = [];
  for (const [index, faq] of faqs.entries()) {
    const kept = faqs.findIndex((other, at) => {
      if (at >= index || joined[at] !== undefined) return false;
      return same(other.question, faq.question) && same(other.answer, faq.answer);
    });
    joined.push(kept < 0 ? undefined : kept);
  }
  return joined;
}

/** Texts that are often similar: made of a few pieces, with a few typos. */
const text = fc
  .tuple(
    fc.array(fc.constantFrom('how do i ', 'return ', 'a parcel ', 'THE parcel', ', please', ' 12', ' 13', '🙂', 'ä', '  ', '?', 'x'), {
      minLength: 1,
      maxLength: 12,
    }),
    fc.array(fc.tuple(fc.nat(60), fc.constantFrom('', 'e', 'r', ' ', '🙂')), { maxLength: 4 }),
  )
  .map(([pieces, typos]) => {
    const characters = [...pieces.join('')];
    for (const [at, typo] of typos) characters.splice(at % (characters.length + 1), typo === '' ? 1 : 0, ...[typo].filter(Boolean));
    return characters.join('') || 'x';
  });

describe('duplicates', () => {
  // Proves rules faqs.28, faqs.29, faqs.30: none is missed, although few pairs are compared.
  it('are the same as those found by comparing every pair', () => {
    const faqs = fc.array(fc.record({ question: text, answer: text }), { maxLength: 60 });
    fc.assert(
      fc.property(faqs, (each) => {
        expect(duplicatesOf(each)).toEqual(naively(each));
      }),
      { numRuns: 400 },
    );
  });

  it('are found up to the exact limit of similarity, for any length', () => {
    const length = fc.integer({ min: 1, max: 120 });
    const alphabet = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', ' ', '1');
    const pair = length.chain((size) =>
      fc.tuple(
        fc.array(alphabet, { minLength: size, maxLength: size }),
        fc.array(fc.tuple(fc.nat(size), fc.constantFrom('replace', 'insert', 'delete'), alphabet), {
          minLength: Math.floor(size / 10),
          maxLength: Math.floor(size / 10) + 1,
        }),
      ),
    );
    fc.assert(
      fc.property(pair, ([original, edits]) => {
        const edited = [...original];
        for (const [at, kind, character] of edits) edited.splice(at, kind === 'insert' ? 0 : 1, ...(kind === 'delete' ? [] : [character]));
        const faqs = [original, edited].map((each) => ({ question: each.join('') || 'x', answer: 'the same' }));
        expect(duplicatesOf(faqs)).toEqual(naively(faqs));
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    ['case, punctuation and white space', ['How do I return it?', ' how do I, return IT ', 'How do I return it!?'], [undefined, 0, 0]],
    ['punctuation alone', ['???', '!!!', ' ??? '], [undefined, undefined, 0]],
    ['nothing in common', ['Yes?', 'No?'], [undefined, undefined]],
    ['other symbols', ['Can I pay in €?', 'Can I pay in $?'], [undefined, undefined]],
  ])('depend on the characters of the questions: %s', (_, questions, expected) => {
    const faqs = questions.map((question) => ({ question, answer: 'At the desk.' }));
    expect(duplicatesOf(faqs)).toEqual(expected);
    expect(duplicatesOf(faqs, 'equal')).toEqual(expected);
  });

  it('need similar questions and similar answers', () => {
    const question = 'How long does the delivery to Norway take?';
    const answer = 'The delivery to Norway takes from three to five working days.';
    const faqs = [
      { question, answer },
      { question: question.replace('Norway', 'Norwai'), answer: 'Nobody knows.' },
      { question: 'What about it?', answer },
      { question, answer: answer.replace('five', 'six') },
      { question: question.replace('Norway', 'Norwai!'), answer: answer.replace('working', 'worging') },
    ];
    expect(duplicatesOf(faqs)).toEqual([undefined, undefined, undefined, undefined, 0]);
    expect(duplicatesOf([...faqs, { question: question.toUpperCase(), answer: `${answer}!` }], 'equal').at(-1)).toBe(0);
    expect(duplicatesOf(faqs, 'equal')).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  // Proves rules faqs.28, faqs.29.
  it.each([
    // Spellings of one word, and what is folded.
    ['How long does the delivery take?', 'How long does the delivry take?', true],
    ['Which colours are there in the shop?', 'Which colors are there in the shop?', true],
    ['Where is the STRASSE to the shop?', 'where is the Straße to the shop', true],
    ["What's the e-mail address?", 'Whats the email address', true],
    ['Hours: 9, 10 and 11', 'hours 9 10 and 11.', true],
    ['Προϊόντα ΟΔΟΣ', 'προϊόντα οδος', true],
    // Numbers.
    ['How much is the 10 kg bag of coffee?', 'How much is the 20 kg bag of coffee?', false],
    ['How much is the bag for fifteen people, 1.5 kg?', 'How much is the bag for fifteen people, 15 kg?', false],
    ['The temperature of the room is -5 degrees', 'The temperature of the room is 5 degrees', false],
    ['Take .5 mg of the medicine every morning', 'Take 5 mg of the medicine every morning', false],
    ['The temperature of the room is –5 degrees', 'The temperature of the room is 5 degrees', false],
    ["The pole of the tent has a length of 5' in all", 'The pole of the tent has a length of 5" in all', false],
    ['Dial *5 to reach the front desk of the hotel', 'Dial 5 to reach the front desk of the hotel', false],
    ['We offer apartments of the grade A* in the city', 'We offer apartments of the grade A in the city', false],
    ['The big bag of coffee beans costs eight euros', 'The big bag of coffee beans costs eighty euros', false],
    ['Das Paket mit dem Kaffee kostet sechzig Euro', 'Das Paket mit dem Kaffee kostet sechzehn Euro', false],
    ['The "best" coffee (of the town) is here, at last', 'The best coffee of the town is here at last', true],
    ['The discount on all of our coffee is 5 %', 'The discount on all of our coffee is 5', false],
    ['We are open from 1 to 7 on all of the weekdays', 'We are open from 17 to 7 on all of the weekdays', false],
    // Codes.
    ['What is in the plan A of the messaging service?', 'What is in the plan B of the messaging service?', false],
    ['See https://shop.example/p/1 for what it costs', 'See https://shop.example/p/2 for what it costs', false],
    ['Do you teach programming in C# at the school?', 'Do you teach programming in C at the school?', false],
    ['The voucher code for the summer sale is SUMR', 'The voucher code for the summer sale is SUMX', false],
    ['Does it work with the model mk2s of the machine?', 'Does it work with the model mk3s of the machine?', false],
    ['Write to a-b@example.com for any question of yours', 'Write to ab@example.com for any question of yours', false],
    ['Write to help@shop.acme.com for questions of yours', 'Write to help@shop.acne.com for questions of yours', false],
    ['See www.foobar.com for all of the opening hours', 'See www.foobaz.com for all of the opening hours', false],
    ['The model nord-alpha has a battery of its own', 'The model nord-alpho has a battery of its own', false],
    ['The shop ships from 5 - 10 days after the order', 'The shop ships from 5 10 days after the order', false],
    ['The balance of the account is -$5 as of today', 'The balance of the account is $5 as of today', false],
    ['The museum is dedicated to king Louis xiii here', 'The museum is dedicated to king Louis xiiii here', false],
    ['Det är möjligt att avboka resan till fjällen', 'Det är omöjligt att avboka resan till fjällen', false],
    ['Tell us: delivery,returns or refunds of parcels?', 'tell us delivery returns or refunds of parcels', true],
    // Negations and opposites.
    ['Parcels to the islands are never insured by us', 'Parcels to the islands are ever insured by us', false],
    ['Is it true that this dog food is typical of pets?', 'Is it true that this dog food is atypical of pets?', false],
    ["You can pay by card, but you don't pay a fee", 'You can pay by card, but you done pay a fee', false],
    ['Die Lieferung ist kostenlos, kein Porto faellt an', 'Die Lieferung ist kostenlos, dein Porto faellt an', false],
    // Short words, more words, and more than a letter.
    ['Can I take the cat to the hotel in the summer?', 'Can I take the car to the hotel in the summer?', false],
    ['Can I not return the parcel within thirty days?', 'Can I return the parcel within thirty days?', false],
    ['How do I cancel the subscription to the magazine?', 'How do I cancle the subscription to the magazine?', false],
    // Scripts in which a character is a word.
    ['この商品の送料は無料ですか教えてください', 'この商品の送料は有料ですか教えてください', false],
    // Less similar than 0.9.
    ['Where is parking?', 'Where is barking?', true],
    ['The parking', 'The barking', true],
    ['Parking', 'Barking', false],
  ])('"%s" and "%s" say the same: %s', (one, other, expected) => {
    const answer = 'At the desk.';
    const faqs = [one, other].map((question) => ({ question, answer }));
    expect(duplicatesOf(faqs)).toEqual([undefined, expected ? 0 : undefined]);
    if (!expected) expect(duplicatesOf(faqs, 'equal')).toEqual([undefined, undefined]);
    const answers = [one, other].map((text) => ({ question: 'And?', answer: text }));
    expect(duplicatesOf(answers)).toEqual([undefined, expected ? 0 : undefined]);
  });

  it('are merged into the oldest FAQ that is kept, never into another duplicate', () => {
    const answer = 'The same answer for all of them, which is long enough.';
    const faqs = ['aaaaaaaaaa', 'aaaaaaaaab', 'aaaaaaaabb', 'aaaaaaabbb'].map((question) => ({ question, answer }));
    expect(duplicatesOf(faqs)).toEqual([undefined, 0, undefined, 2]);
  });

  it('are found in a step for each comparison of long texts', () => {
    // The answers share most of their grams, so that each pair is compared.
    const middle = 'abcdefghij'.repeat(250);
    const end = (seed: number) => Array.from({ length: 250 }, (_, at) => String.fromCodePoint(0x4e00 + seed * 500 + at)).join('');
    const faqs = [...'abcdefgh'].map((letter, seed) => ({
      question: `Which delivery has the ${letter}?`,
      answer: end(seed) + middle + end(seed + 20),
    }));
    let steps = 0;
    for (const finding = findDuplicates(faqs, 'spelling'); finding.next().done !== true;) steps++;
    expect(steps).toBeGreaterThan((faqs.length * (faqs.length - 1)) / 2);
  });
});
