import type { Block } from './layout.ts';

/** The topic `msgctl help agent-tests`. */
export const blocks: readonly Block[] = [
  '`msgctl agents test suite.yaml` has the conversations of a suite with a copy of the account in memory, and compares the replies ' +
    'with what the suite expects. The copy has the configuration of the account and the FAQs that its agents know. Nothing is sent, ' +
    'called or charged for the account itself. A suite is YAML or JSON:',
  [
    ['cases', 'the conversations, each with a contact of its own'],
    ['  message', 'what the contact writes; `messages` for several, each a text or {text, tools, expect}'],
    ['  expect', 'what the last reply must be: all that is given'],
    ['  name', 'what the report calls the case'],
    ['variables', 'values for ${name} in any text of the suite'],
    ['agent', 'the agent that answers whatever routing says; by default, routing decides'],
    ['channel', 'the channel that the contact writes on (default: chatapp)'],
    ['contact', 'from, first_name, last_name and tags of the contact'],
    ['clock', 'when the conversation takes place, such as 2026-12-24T20:00:00Z'],
    ['tools', 'what functions and tools return, by their names; a call without a result fails the case'],
  ],
  'A case can have agent, channel, contact, clock and tools too. Expectations are:',
  [
    ['source', 'faq, clarify, greeting, handover, model, exact_text, or none for no reply'],
    ['faq', 'the question or the id of a FAQ that the reply was made with'],
    ['agent', 'the agent that answers'],
    ['text', 'what the reply contains, or /a regular expression/; a list for several'],
    ['not', 'what the reply must not contain'],
    ['tool', 'a function that is called: its name, or {name, arguments}; a list for several'],
    ['tags', 'tags that the contact then has'],
    ['handover', 'whether the conversation was handed over to people'],
    ['step', 'the step of routing that decided'],
    ['credits', 'the most credits that the message may cost'],
  ],
  '`--from-session ses_1` prints a real conversation as a case, and with --save adds it to a suite: what the contact wrote, until people ' +
    'answered, and what the agent answered and called. The names, numbers and e-mail addresses of the contact are replaced.',
  'The model is the one that MSGCTL_AI_BASE_URL and MSGCTL_AI_MODEL name on this machine; without them the built-in rules answer. ' +
    'With a model, --repeat 5 --at-least 4 allows for answers that differ. Exit codes: 0 when all cases pass, 1 when one fails, 2 for a ' +
    'suite with a mistake, which is named by file, line and column.',
];
