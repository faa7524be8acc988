import * as contract from '../../contract/areas/agents/endpoints.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import { dayOptions, daysWithoutHours, hoursOf } from '../verb/hours.ts';
import type { Noun } from '../verb/noun.ts';
import { usageError } from '../errors.ts';
import { agentArgument, agentLookup } from '../lookups/agents.ts';
import { eventLookup } from '../lookups/events.ts';
import { eventField, eventsField, withNamedFields } from '../lookups/named.ts';
import { discardingDraft, needingDraft, testingDraft } from './agents/drafts.ts';
import { notingEndOfOnlyAgent } from './agents/only-agent.ts';
import { startingRun } from './agents/runs.ts';
import { askingToPublish, askingToRestore } from './agents/live-changes.ts';
import { functionVerbs } from './agents/function-verbs.ts';
import { mediaVerbs } from './agents/media-verbs.ts';
import { sourceVerbs } from './agents/source-verbs.ts';
import { tagVerbs } from './agents/tag-verbs.ts';
import { testVerb } from './agents/test.ts';
import { toolServerVerbs } from './agents/tool-server-verbs.ts';

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
      isTool: false,
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
    ...tagVerbs,
    ...sourceVerbs,
    ...functionVerbs,
    ...toolServerVerbs,
    ...mediaVerbs,
  ],
};
