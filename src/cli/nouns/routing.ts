import * as contract from '../../contract/areas/routing/endpoints.ts';
import { channelNames } from '../../contract/areas/channels/names.ts';
import { callVerb } from '../verb/call-verb.ts';
import type { Noun } from '../verb/noun.ts';
import { channelVerbs, defaultVerbs } from './routing/defaults.ts';
import { ruleVerbs } from './routing/rules.ts';

export const routing: Noun = {
  name: 'routing',
  groups: { defaults: 'Manage the default agents', rules: 'Manage the rules', channels: 'Let campaigns answer channels' },
  verbs: [
    {
      name: 'explain',
      summary: 'Explain step by step which agent would answer a message',
      examples: [
        ["msgctl routing explain --channel chatapp --from +14155550123 --text 'menu'", 'sends nothing; works on any account'],
        ["msgctl routing explain --channel photo_social --from ada --text 'Nice!' --post-id post_1", 'a comment on a post'],
      ],
      options: [
        { flags: '--channel <channel>', summary: 'the channel of the message', isRequired: true, choices: channelNames },
        { flags: '--from <from>', summary: "the contact's number or account", isRequired: true },
        { flags: '--text <text>', summary: 'the text of the message', isRequired: true },
        { flags: '--to <identity>', summary: 'your number or account that receives the message' },
        { flags: '--post-id <id>', summary: 'the id of the post, if the text is a comment' },
      ],
      endpoint: contract.listRules,
      scope: 'one account',
      shown: { columns: ['step', 'agent_id', 'agent', 'entry_point_id', 'reason', 'silent', 'contact_id', 'steps', 'others'] },
      run: async (session, _values, options) => await (await import('./routing/explain.ts')).explain(session, options),
    },
    {
      name: 'map',
      summary: 'Show which agent answers each channel, and which channels nobody answers',
      examples: [
        ['msgctl routing map', 'a row for each channel and number'],
        ["msgctl routing map --query 'routes[?gap]' -o json", 'for scripts: the channels that nobody answers'],
      ],
      endpoint: contract.listDefaults,
      shown: {
        rows: 'routes',
        columns: ['channel', 'number', 'step', 'agent_id', 'agent', 'default_id', 'rules', 'silent', 'gap'],
        table: ['channel', 'number', 'default', 'new_contacts', 'rules'],
      },
      run: async (session) => await (await import('./routing/map.ts')).readMap(session),
    },
    ...defaultVerbs,
    ...ruleVerbs,
    ...channelVerbs,
    callVerb({
      name: 'status',
      endpoint: contract.routingStatus,
      examples: [['msgctl routing status', 'always true, on every account']],
      shown: { columns: ['cutover_enabled'] },
    }),
  ],
};
