import { sessionLookup } from '../../lookups/sessions.ts';
import { parseCount } from '../../verb/values.ts';
import type { Verb } from '../../verb/noun.ts';

export const testVerb: Verb = {
  name: 'test',
  summary: 'Test conversations on a copy of the account in memory: nothing is sent, called or charged',
  examples: [
    ['msgctl agents test suite.yaml', 'what the account answers, routing included'],
    ['msgctl agents test Ada suite.yaml --draft', 'what the draft of one agent would answer'],
    ['msgctl agents test suite.yaml --save', "write today's answers as expectations where a case has none"],
    ['msgctl agents test suite.yaml --from-session ses_1 --save', 'add a real conversation as a case, without who the contact is'],
    ['msgctl agents test tests/*.yaml --junit results.xml', 'in CI; exit 1 when a case fails'],
  ],
  arguments: [
    {
      name: 'suite',
      summary: 'an agent (optional), and suites: files that end in .yaml, .yml or .json',
      isRepeated: true,
      isOptional: true,
      completes: 'file',
    },
  ],
  options: [
    { flags: '--draft', summary: 'test the drafts of agents instead of what is live' },
    { flags: '--junit <file>', summary: "also write the results as JUnit's XML", completes: 'file' },
    { flags: '--save', summary: "write today's answers into the suites, as expectations of messages that have none" },
    { flags: '--from-session <id>', summary: 'print a conversation as a case, or with --save add it to a suite', completes: sessionLookup },
    {
      flags: '--repeat <count>',
      summary: 'run each case this often, for answers of a model that differ',
      parse: (text) => parseCount(text),
    },
    { flags: '--at-least <count>', summary: 'how often each case must pass (default: each time)', parse: (text) => parseCount(text) },
  ],
  scope: 'one account',
  readsUnless: ['save'],
  shown: { columns: ['status', 'case', 'expected', 'got', 'file'] },
  run: async (session, words, options) => await (await import('../../suites/test-agents.ts')).testAgents(session, words, options),
};
