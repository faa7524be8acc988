import * as contract from '../../contract/areas/agents/endpoints.ts';
import { addMedia, listMedia, removeMedia } from '../../contract/areas/media/endpoints.ts';
import { attachFunctions, detachFunction, listAgentFunctions } from '../../contract/areas/functions/endpoints.ts';
import { attachToolServers, detachToolServer, listAgentToolServers } from '../../contract/areas/tool-servers/endpoints.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import { dayOptions, daysWithoutHours, hoursOf } from '../verb/hours.ts';
import type { Noun } from '../verb/noun.ts';
import { usageError } from '../errors.ts';
import { agentArgument, agentLookup } from '../lookups/agents.ts';
import { eventLookup } from '../lookups/events.ts';
import { eventField, eventsField, withNamedFields } from '../lookups/named.ts';
import { functionLookup } from '../lookups/functions.ts';
import { toolServerLookup } from '../lookups/tool-servers.ts';
import { sourceLookup } from '../lookups/sources.ts';
import { tagLookup } from '../lookups/tags.ts';
import { wholeList } from '../output/result.ts';
import { discardingDraft, needingDraft, testingDraft } from './agents/drafts.ts';
import { notingEndOfOnlyAgent } from './agents/only-agent.ts';
import { startingRun } from './agents/runs.ts';
import { askToRemove, explainMissingRule, wholeRule } from './agents/tagging-rules.ts';
import { askingToPublish, askingToRestore } from './agents/live-changes.ts';
import { testVerb } from './agents/test.ts';

const columns = ['id', 'name', 'active', 'language', 'ai_model_tier', 'faq_refs_count', 'kb_source_refs_count', 'goal'] as const;

/** The settings that only a single agent shows. */
const settingColumns = [
  'instructions',
  'rules',
  'personality',
  'alert_human_when',
  'max_messages',
  'ai_speed',
  'ai_transparency',
  'tags.name',
  'timezone',
  'availability',
  'enable_bookings',
  'booking_provider',
  'event_id',
  'event_ids',
  'enable_follow_ups',
  'follow_up_config',
  'draft',
] as const;

const shared = { arguments: [agentArgument] } as const;

const tag = { param: 'tagId', name: 'tag', summary: 'the id or the name of the tag of a rule', lookup: tagLookup } as const;

const sourcesArgument = {
  field: 'kb_source_ids',
  name: 'source',
  summary: 'the addresses, titles or ids of knowledge sources',
  isRepeated: true,
  lookup: sourceLookup,
} as const;

const answered = { columns: ['agent_id'] } as const;

const botFields = [
  'instructions',
  'rules',
  'goal',
  'personality',
  'language',
  'ai_speed',
  'ai_model_tier',
  'max_messages',
  'alert_human_when',
  { field: 'ai_transparency', negative: 'do not disclose that it is an AI' },
] as const;

const fields = [
  ...botFields,
  { field: 'active', summary: 'let the agent reply', negative: 'deactivate the agent' },
  'timezone',
  'availability',
  { field: 'enable_bookings', negative: 'do not let the agent book appointments' },
  'booking_provider',
  { field: 'event_id', lookup: eventLookup },
  { field: 'event_ids', lookup: eventLookup },
  { field: 'enable_follow_ups', negative: 'turn off follow-ups' },
  'follow_up_config',
] as const;

const furtherRuleFields = [
  'tag.description',
  'tag.webhook',
  { field: 'tag.ai_can_remove', negative: 'do not let the agent remove this tag' },
] as const;

const ruleFields = ['tag.name', ...furtherRuleFields] as const;

const ruleColumns = ['tag_id', 'name', 'description', 'webhook', 'ai_can_remove'] as const;

export const agents: Noun = {
  name: 'agents',
  groups: {
    tags: 'Manage the tagging rules',
    sources: 'Manage the sources of the knowledge base',
    functions: 'Manage the functions that the agent can call',
    'tool-servers': 'Manage the tool servers that the agent can use',
    media: 'Manage the files that the agent can send',
  },
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listAgents,
      examples: [['msgctl agents list --view summary', 'every agent with its main fields']],
      fields: ['view'],
      shown: { rows: 'agents', columns },
    }),
    withNamedFields(
      callVerb({
        ...shared,
        name: 'get',
        endpoint: contract.getAgent,
        examples: [['msgctl agents get Ada -o yaml', 'everything about an agent']],
        shown: { field: 'agent', columns: [...columns, ...settingColumns] },
      }),
      [eventField, eventsField],
    ),
    startingRun(
      'optimize_run',
      notingEndOfOnlyAgent(
        callVerb({
          name: 'create',
          endpoint: contract.createAgent,
          examples: [
            ["msgctl agents create Ada --language en --goal 'Book tables'", 'create an agent'],
            ['msgctl agents create Eve --scrape-urls https://shop.example/ --wait', 'draft its instructions from a web page'],
          ],
          arguments: [{ field: 'name' }],
          fields: [...fields, { field: 'scrape_urls', placeholder: 'urls' }],
          shown: { columns: ['agent_id', 'agent_generation_queued'] },
        }),
      ),
      true,
    ),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateAgent,
      examples: [["msgctl agents update Ada --goal 'Book tables'", 'fields you omit keep their value']],
      fields: ['name', ...fields],
      shown: answered,
    }),
    callVerb({
      ...shared,
      name: 'configure',
      endpoint: contract.updateBotConfig,
      examples: [["msgctl agents configure Ada --rules 'Never promise a discount'", 'change how an agent writes']],
      fields: botFields,
      shown: answered,
    }),
    callVerb({
      ...shared,
      name: 'hours',
      endpoint: contract.updateActiveHours,
      examples: [
        [
          'msgctl agents hours Ada --monday 9:00-12:30,14:00-18:00 --sunday closed',
          'days you omit keep their hours; if the agent had no hours, they are closed',
        ],
        ['msgctl agents hours Ada --friday 18:00-02:00', 'over midnight'],
      ],
      fields: [{ field: 'availability', default: {} }],
      options: dayOptions('9:00-17:00, or 22:00-02:00 over midnight'),
      body: async ({ availability }, { session, values: [agent = ''], options }) => {
        const { input, names, notes } = session;
        const days = { ...availability, ...hoursOf(options) };
        if (input.availability === undefined && Object.keys(days).length === 0)
          throw usageError('No hours given', 'Give the hours of a day, such as --monday 9:00-17:00.');
        const left = daysWithoutHours(days);
        const hoursBefore = left.length === 0 || notes.isQuiet ? undefined : (await names.record(agentLookup, agent)).availability;
        if (hoursBefore && Object.keys(hoursBefore).length === 0)
          notes.say(`The agent was always open. It is now closed on the days for which you gave no hours: ${left.join(', ')}.`);
        return { availability: days };
      },
      shown: answered,
    }),
    notingEndOfOnlyAgent(
      callVerb({
        ...shared,
        name: 'activate',
        summary: 'Let an agent reply',
        endpoint: contract.setActive,
        examples: [['msgctl agents activate Ada', 'let it reply']],
        body: () => ({ active: true }),
        shown: { columns: ['agent_id', 'active'] },
      }),
    ),
    callVerb({
      ...shared,
      name: 'deactivate',
      summary: 'Stop an agent from replying',
      endpoint: contract.setActive,
      examples: [['msgctl agents deactivate Ada', 'its configuration is kept']],
      body: () => ({ active: false }),
      shown: { columns: ['agent_id', 'active'] },
    }),
    callVerb({
      ...shared,
      name: 'duplicate',
      endpoint: contract.duplicateAgent,
      examples: [['msgctl agents duplicate Ada', 'make a copy to experiment with']],
      shown: { columns: ['agent_id', 'source_agent_id'] },
    }),
    startingRun(
      'optimize_run',
      callVerb({
        ...shared,
        name: 'optimize',
        endpoint: contract.optimizeAgent,
        examples: [
          ["msgctl agents optimize Ada --user-feedback 'Answer in two sentences' --wait", 'then look at it with `msgctl agents diff Ada`'],
          ["msgctl agents optimize Ada --thumbs-down-feedback 'Too stiff' --thumbs-down-message 'Dear Sir'", 'what was wrong with a reply'],
        ],
        fields: ['user_feedback', 'thumbs_down_feedback', 'thumbs_down_message'],
        shown: answered,
      }),
    ),
    needingDraft(
      askingToPublish(
        testingDraft(
          callVerb({
            ...shared,
            name: 'publish-draft',
            endpoint: contract.publishDraft,
            examples: [
              ['msgctl agents publish-draft Ada', 'make the draft live'],
              ['msgctl agents publish-draft Ada --test suite.yaml', 'only if it passes; exit 1 otherwise, and nothing is changed'],
            ],
            shown: { columns: ['agent_id', 'published_keys'] },
          }),
        ),
      ),
    ),
    askingToRestore({
      ...shared,
      name: 'restore',
      summary: 'Write back what the last published draft of an agent replaced',
      examples: [['msgctl agents restore Ada', 'after agents publish-draft']],
      endpoint: contract.updateAgent,
      fields: [],
      shown: { columns: ['agent_id', 'restored_keys'] },
      run: async (session, [word = '']) => await (await import('./agents/restore.ts')).restore(session, word),
    }),
    discardingDraft(
      callVerb({
        ...shared,
        name: 'discard-draft',
        endpoint: contract.discardDraft,
        examples: [['msgctl agents discard-draft Ada --yes', 'skip the confirmation']],
        shown: { columns: [] },
        done: (_answer, [id]) => `Discarded the draft of the agent ${id}.`,
      }),
    ),
    {
      ...shared,
      name: 'diff',
      summary: 'Compare the draft of an agent with the live version, word by word; exits 3 when they differ',
      examples: [['msgctl agents diff Ada', 'what `publish-draft` would change']],
      endpoint: contract.getAgent,
      scope: 'one account',
      shown: { columns: ['agent_id', 'name', 'has_draft', 'changes'] },
      run: async (session, [word = '']) => await (await import('./agents/diff.ts')).diffDraft(session, word),
    },
    testVerb,
    {
      ...shared,
      name: 'edit',
      summary: 'Edit an agent as YAML in $VISUAL or $EDITOR; shows the changes and asks before saving',
      examples: [['msgctl agents edit Ada', 'if the change is refused, your text is kept']],
      endpoint: contract.updateAgent,
      takesInput: false,
      scope: 'one account',
      shown: { columns: ['agent_id', 'changed'] },
      run: async (session, [word = '']) => await (await import('./agents/edit.ts')).edit(session, word),
    },
    deleteVerb({
      lookup: agentLookup,
      endpoint: contract.deleteAgent,
      examples: [
        ['msgctl agents delete Ada --yes', 'skip the confirmation; first detach the campaigns, broadcasts and rules that use the agent'],
      ],
      consequence: () => ' with its draft and its retired rules, and route its contacts to other agents',
      explainConflict: async (error, session) => await (await import('./agents/blocked.ts')).namingBlockers(error, session),
    }),
    {
      ...shared,
      name: 'tags list',
      summary: 'List the tagging rules of an agent',
      examples: [['msgctl agents tags list Ada', 'the tags that it applies, and when']],
      endpoint: contract.getAgent,
      shown: { rows: 'tags', columns: ruleColumns },
      run: async ({ targets, names }, [word = '']) => {
        const agentId = await names.id(agentLookup, word);
        const { agent } = await (await targets.client()).call(contract.getAgent, { params: { agentId }, query: { fields: 'tags' } });
        return wholeList('tags', agent.tags ?? []);
      },
    },
    callVerb({
      ...shared,
      name: 'tags add',
      endpoint: contract.addTag,
      examples: [[`msgctl agents tags add Ada --name VIP --description 'Says "big order"'`, 'tag contacts by what they write']],
      fields: [...ruleFields, { field: 'tag.tag_id', flag: 'tag', lookup: tagLookup }],
      shown: { field: 'tag', columns: ruleColumns },
    }),
    callVerb({
      name: 'tags update',
      endpoint: contract.updateTag,
      summary: 'Update a tagging rule; its tag stays the same',
      examples: [[`msgctl agents tags update Ada VIP --description 'Says "a big order"'`, 'fields you omit keep their value']],
      arguments: [agentArgument, tag],
      fields: [{ field: 'tag.name', isOptional: true }, ...furtherRuleFields],
      body: async (given, { session, values: [agent = '', tagId = ''] }) => await wholeRule(given, agent, tagId, session),
      explain: explainMissingRule,
      shown: { columns: [] },
      done: (_answer, [id, tagId]) => `Updated the rule of the agent ${id} for the tag ${tagId}.`,
    }),
    callVerb({
      name: 'tags remove',
      endpoint: contract.removeTag,
      examples: [['msgctl agents tags remove Ada VIP --yes', 'skip the confirmation']],
      arguments: [agentArgument, tag],
      confirm: async ({ session, values }) => await askToRemove(values, session),
      explain: explainMissingRule,
      shown: { columns: [] },
      done: (_answer, [id, tagId]) => `Removed the rule of the agent ${id} for the tag ${tagId}.`,
    }),
    startingRun(
      'tag_generation',
      callVerb({
        ...shared,
        name: 'tags generate',
        endpoint: contract.generateTags,
        examples: [['msgctl agents tags generate Ada --wait', 'add drafted rules to the existing ones']],
        fields: ['mode'],
        shown: { columns: ['agent_id', 'mode'] },
      }),
    ),
    callVerb({
      name: 'sources attach',
      endpoint: contract.attachSources,
      examples: [['msgctl agents sources attach Ada https://shop.example/faq prices.pdf', 'let an agent answer from two sources']],
      arguments: [agentArgument, sourcesArgument],
      shown: { columns: ['agent_id', 'kb_source_ids'] },
    }),
    callVerb({
      name: 'sources detach',
      endpoint: contract.detachSources,
      examples: [['msgctl agents sources detach Ada src_1', 'the source stays']],
      arguments: [agentArgument, sourcesArgument],
      shown: { columns: ['agent_id', 'kb_source_ids'] },
    }),
    callVerb({
      ...shared,
      name: 'functions list',
      endpoint: listAgentFunctions,
      examples: [['msgctl agents functions list Ada', 'the functions that an agent can call']],
      shown: { columns: ['id', 'name', 'description', 'method', 'url', 'enabled', 'signing_enabled'] },
    }),
    callVerb({
      name: 'functions add',
      endpoint: attachFunctions,
      examples: [['msgctl agents functions add Ada get_weather get_stock', 'let an agent call two functions']],
      arguments: [
        agentArgument,
        {
          field: 'custom_function_ids',
          name: 'function',
          summary: 'the ids or the names of functions',
          isRepeated: true,
          lookup: functionLookup,
        },
      ],
      shown: { columns: ['agent_id', 'custom_function_ids'] },
    }),
    callVerb({
      name: 'functions remove',
      endpoint: detachFunction,
      examples: [['msgctl agents functions remove Ada get_weather', 'the function stays']],
      arguments: [
        agentArgument,
        { param: 'functionId', name: 'function', summary: 'the id or the name of a function', lookup: functionLookup },
      ],
      shown: { columns: [] },
      done: (_answer, [agent, word]) => `The agent ${agent} no longer calls ${word}.`,
    }),
    callVerb({
      ...shared,
      name: 'tool-servers list',
      endpoint: listAgentToolServers,
      examples: [['msgctl agents tool-servers list Ada', 'the tool servers that an agent can use']],
      shown: { columns: ['id', 'name', 'status', 'url', 'enabled', 'tools.name'] },
    }),
    callVerb({
      name: 'tool-servers add',
      endpoint: attachToolServers,
      examples: [['msgctl agents tool-servers add Ada shop', 'let an agent call the tools of a server']],
      arguments: [
        agentArgument,
        {
          field: 'mcp_server_ids',
          name: 'server',
          summary: 'the ids or the names of tool servers',
          isRepeated: true,
          lookup: toolServerLookup,
        },
      ],
      shown: { columns: ['agent_id', 'mcp_server_ids'] },
    }),
    callVerb({
      name: 'tool-servers remove',
      endpoint: detachToolServer,
      examples: [['msgctl agents tool-servers remove Ada shop', 'the server stays']],
      arguments: [
        agentArgument,
        { param: 'serverId', name: 'server', summary: 'the id or the name of a tool server', lookup: toolServerLookup },
      ],
      shown: { columns: [] },
      done: (_answer, [agent, word]) => `The agent ${agent} no longer uses the tools of ${word}.`,
    }),
    callVerb({
      ...shared,
      name: 'media list',
      endpoint: listMedia,
      examples: [['msgctl agents media list Ada', 'the files that an agent can send']],
      shown: { columns: ['id', 'name', 'description', 'mime_type', 'bytes', 'created_at'] },
    }),
    {
      name: 'media add',
      summary: 'Let an agent send an image, a PDF or a sound',
      examples: [
        ["msgctl agents media add Ada menu.pdf --description 'The menu of this week'", 'a file of this machine, on a sandbox'],
        ['msgctl agents media add Ada --storage-path users/acc_1/uploads/upl_1/menu.pdf', 'a file in the storage of the account'],
      ],
      arguments: [
        { name: 'agent', summary: agentArgument.summary, lookup: agentLookup },
        {
          name: 'file',
          summary: 'a PNG, JPEG, GIF, WebP, PDF, MP3, OGG or WAV file',
          completes: 'file',
          isOptional: true,
          fills: ['storage_path'],
        },
      ],
      options: [
        {
          flags: '--name <text>',
          summary: 'the name by which the model sends it (default: that of the file, without its ending)',
          fills: ['name'],
        },
        { flags: '--description <text>', summary: 'what it shows, and when the agent sends it', fills: ['description'] },
        {
          flags: '--storage-path <path>',
          summary: 'a file in the storage of the account, instead of one of this machine',
          fills: ['storage_path'],
        },
      ],
      endpoint: addMedia,
      takesInput: false,
      scope: 'one account',
      shown: { field: 'media', columns: ['id', 'name', 'description', 'mime_type', 'bytes'] },
      run: async (session, values, options) => await (await import('./agents/media.ts')).addMedia(session, values, options),
    },
    {
      name: 'media remove',
      summary: 'Take a file away from an agent; its links stop working',
      examples: [['msgctl agents media remove Ada menu', 'asks for confirmation; the id or the name of the file']],
      arguments: [
        { name: 'agent', summary: agentArgument.summary, lookup: agentLookup },
        { name: 'media', summary: 'the id or the name of the file' },
      ],
      endpoint: removeMedia,
      shown: { columns: [] },
      confirm: async ({ session, values: [agent = '', word = ''] }) => {
        if (!session) return `Take the file ${word} away from the agent ${agent}? Links to it stop working`;
        const { name } = await (await import('./agents/media.ts')).findMedia(session, agent, word);
        return `Take the file '${name}' away from the agent ${agent}? Links to it stop working`;
      },
      run: async (session, values) => await (await import('./agents/media.ts')).removeMedia(session, values),
    },
  ],
};
