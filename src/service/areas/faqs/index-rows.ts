/** The tables of the index, with their primary keys. The rows of a scope go with the campaign, group or account that it is. */
export const indexTables = [
  { table: 'faq_terms', key: ['scope', 'term', 'place', 'faq_seq', 'passage'] },
  { table: 'faq_words', key: ['scope', 'term'] },
  { table: 'faq_spellings', key: ['scope', 'spelling', 'term'] },
] as const;
