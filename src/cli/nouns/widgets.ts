import * as contract from '../../contract/areas/widgets/endpoints.ts';
import { agentLookup } from '../lookups/agents.ts';
import { agentField, withNamedFields } from '../lookups/named.ts';
import { widgetLookup } from '../lookups/widgets.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import { notingPages } from '../verb/page-note.ts';
import type { Noun } from '../verb/noun.ts';

const columns = [
  'id',
  'name',
  'kind',
  'enabled',
  'agent_id',
  'page_url',
  'embed_code',
  'title',
  'greeting',
  'colour',
  'position',
  'language',
  'allowed_origins',
  'ask_before',
  'daily_ai_replies',
  'number',
  'chat_url',
  'prefilled_text',
  'clicks',
  'public_id',
  'created_at',
  'updated_at',
] as const;

const widget = { name: 'widget', summary: 'the id or the name of a widget', lookup: widgetLookup } as const;

const shared = { arguments: [{ param: 'id', ...widget }] } as const;

const shown = { field: 'widget', columns } as const;

const fields = [
  { field: 'agent_id', flag: 'agent', lookup: agentLookup, summary: 'the agent that answers; without one, routing decides' },
  'title',
  'greeting',
  'colour',
  'position',
  'language',
  { field: 'allowed_origins', flag: 'allowed-origins', placeholder: 'origins' },
  'ask_before',
  { field: 'daily_ai_replies', summary: 'the most replies of agents in a day of UTC; without one, there is no limit' },
  { field: 'enabled', negative: 'close its page' },
  { field: 'number', placeholder: 'number' },
  { field: 'chat_url', placeholder: 'url' },
  'prefilled_text',
] as const;

export const widgets: Noun = {
  name: 'widgets',
  verbs: [
    withNamedFields(
      callVerb({
        name: 'list',
        endpoint: contract.listWidgets,
        examples: [['msgctl widgets list', 'the chats and buttons of your websites']],
        shown: { columns },
      }),
      [agentField],
      ['name', 'kind', 'enabled', 'agent', 'page_url', 'id'],
    ),
    callVerb({
      ...shared,
      name: 'get',
      endpoint: contract.getWidget,
      examples: [["msgctl widgets get 'Shop chat'", 'its settings, its address and the line to paste']],
      shown,
    }),
    notingPages(
      callVerb({
        name: 'create',
        endpoint: contract.createWidget,
        examples: [
          ["msgctl widgets create 'Shop chat' --agent Ada --greeting 'How can we help?'", 'a chat; prints the line to paste into the site'],
          [
            'msgctl widgets create Support --ask-before name,email --allowed-origins https://shop.example --language de',
            'asks who writes, and works on one site only',
          ],
          [
            "msgctl widgets create Button --kind chatapp --number +14155550100 --chat-url 'https://chat.example/{number}?text={text}'",
            'a button that opens the chat app',
          ],
        ],
        arguments: [{ field: 'name' }],
        fields: ['kind', ...fields],
        shown,
        done: ({ widget }) => ['Paste this line into your site:', widget.embed_code, `Or open ${widget.page_url}`],
      }),
    ),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateWidget,
      examples: [
        ["msgctl widgets update 'Shop chat' --colour '#0f766e' --position left", 'fields you omit keep their value'],
        ["msgctl widgets update 'Shop chat' --no-enabled", 'close it; its conversations stay'],
      ],
      fields: ['name', ...fields],
      shown,
    }),
    deleteVerb({
      lookup: widgetLookup,
      endpoint: contract.deleteWidget,
      examples: [["msgctl widgets delete 'Shop chat'", 'asks for confirmation']],
      consequence: () => ' and keep the conversations of its visitors',
    }),
    notingPages({
      arguments: [widget],
      name: 'open',
      summary: 'Open the page of a widget in the browser; without a terminal, print its address',
      examples: [
        ["msgctl widgets open 'Shop chat'", 'in the browser'],
        ["msgctl widgets open 'Shop chat' | cat", 'only the address'],
      ],
      endpoint: contract.getWidget,
      isTool: false,
      scope: 'one account',
      shown: { field: 'widget', columns: ['page_url'] },
      run: async (session, [word = '']) => await (await import('./widgets/open.ts')).openPage(session, word),
    }),
  ],
};
