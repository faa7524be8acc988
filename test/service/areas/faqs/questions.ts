import { english, englishOffTopic } from './questions-en.ts';
import { french, frenchOffTopic } from './questions-fr.ts';
import { german, germanOffTopic } from './questions-de.ts';
import { spanish, spanishOffTopic } from './questions-es.ts';

/** A FAQ, with messages from contacts who want its answer. */
export interface AskedFaq {
  readonly question: string;
  readonly answer: string;
  /** Messages that ask for it in other words. */
  readonly reworded: readonly string[];
  /** Messages with typos. */
  readonly mistyped: readonly string[];
}

/** A set of FAQs in one language, and messages that none of them answers. */
interface QuestionSet {
  readonly language: 'en' | 'de' | 'es' | 'fr';
  readonly faqs: readonly AskedFaq[];
  readonly offTopic: readonly string[];
}

/** The sets that the search is measured with. They were written before the search was tuned. */
export const questionSets: readonly QuestionSet[] = [
  { language: 'en', faqs: english, offTopic: englishOffTopic },
  { language: 'de', faqs: german, offTopic: germanOffTopic },
  { language: 'es', faqs: spanish, offTopic: spanishOffTopic },
  { language: 'fr', faqs: french, offTopic: frenchOffTopic },
];
