import * as contract from '../../contract/areas/summaries/endpoints.ts';
import { contactLookup } from '../lookups/contacts.ts';
import { contactField, withNamedFields } from '../lookups/named.ts';
import { pastPeriod } from '../lookups/past-times.ts';
import { sessionLookup } from '../lookups/sessions.ts';
import { callVerb } from '../verb/call-verb.ts';
import { lookup } from '../verb/lookup.ts';
import type { Noun } from '../verb/noun.ts';

const columns = ['id', 'kind', 'date', 'text', 'chat_session_id', 'contact_id', 'created_at'] as const;

const summaryLookup = lookup(contract.listSummaries, 'summaries', 'text', {
  what: 'summary',
  // A summary has no name.
  names: () => [],
  get: contract.getSummary,
});

export const summaries: Noun = {
  name: 'summaries',
  verbs: [
    withNamedFields(
      callVerb({
        name: 'list',
        endpoint: contract.listSummaries,
        summary: 'List the summaries of days and conversations, newest first',
        examples: [
          ['msgctl summaries list --kind daily --since 7d', 'what happened each day of the last week'],
          ['msgctl summaries list --contact +14155550123', 'the conversations with one contact that were summed up'],
        ],
        fields: [
          { field: 'kind', summary: 'only summaries of days, or only of conversations' },
          { field: 'contact_id', flag: 'contact', lookup: contactLookup, summary: 'only summaries of conversations with this contact' },
          { field: 'chat_session_id', flag: 'session', lookup: sessionLookup, summary: 'only the summary of this conversation' },
          ...pastPeriod('only summaries of days'),
        ],
        shown: { columns },
      }),
      [contactField],
      ['date', 'kind', 'text', 'contact', 'id', 'chat_session_id', 'created_at'],
    ),
    callVerb({
      name: 'get',
      endpoint: contract.getSummary,
      examples: [['msgctl summaries get sum_1', 'one summary']],
      arguments: [{ param: 'id', summary: 'the id of a summary', lookup: summaryLookup }],
      shown: { field: 'summary', columns },
    }),
  ],
};
