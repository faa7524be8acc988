import * as contract from '../../contract/areas/agents/endpoints.ts';
import { lookup } from '../command/lookup.ts';
import { callVerb, deleteVerb } from '../command/call-verb.ts';
import type { Noun } from '../command/noun.ts';

const columns = ['id', 'name', 'active', 'language', 'ai_model_tier', 'faq_refs_count', 'kb_source_refs_count', 'goal'] as const;

const ids = lookup(contract.listAgents, 'agents', 'name');

const agent = { param: 'agentId', name: 'agent', summary: 'the id of an agent', completes: ids } as const;

const shared = { arguments: [agent] } as const;

const tag = { param: 'tagId', name: 'tag', summary: 'the id of the tag of a rule' } as const;

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
  'ai_transparency',
] as const;

const fields = [
  ...botFields,
  'active',
  'timezone',
  'availability',
  'enable_bookings',
  'booking_provider',
  'event_id',
  'event_ids',
  'enable_follow_ups',
  'follow_up_config',
] as const;

const ruleFields = ['tag.name', 'tag.description', 'tag.webhook', 'tag.ai_can_remove'] as const;

export const agents: Noun = {
  name: 'agents',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listAgents,
      examples: [['msgctl agents list --view summary', 'every agent with its main fields']],
      fields: ['view'],
      shown: { rows: 'agents', columns },
    }),
    callVerb({
      ...shared,
      name: 'get',
      endpoint: contract.getAgent,
      examples: [['msgctl agents get agt_1 -o yaml', 'everything about an agent']],
      shown: { field: 'agent', columns: [...columns, 'timezone', 'availability', 'instructions', 'draft'] },
    }),
    callVerb({
      name: 'create',
      endpoint: contract.createAgent,
      examples: [["msgctl agents create Ada --language en --goal 'Book tables'", 'create an agent']],
      arguments: [{ field: 'name' }],
      fields: [...fields, { field: 'scrape_urls', placeholder: 'urls' }],
      shown: { columns: ['agent_id', 'agent_generation_queued'] },
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateAgent,
      examples: [["msgctl agents update agt_1 --goal 'Book tables'", 'fields you leave out keep their value']],
      fields: ['name', ...fields],
      shown: answered,
    }),
    callVerb({
      ...shared,
      name: 'configure',
      endpoint: contract.updateBotConfig,
      examples: [["msgctl agents configure agt_1 --rules 'Never promise a discount'", 'change how an agent writes']],
      fields: botFields,
      shown: answered,
    }),
    callVerb({
      ...shared,
      name: 'hours',
      endpoint: contract.updateActiveHours,
      examples: [
        [
          `msgctl agents hours agt_1 --availability '{"monday": {"start_time": "09:00", "end_time": "17:00"}}'`,
          'change the hours of one day',
        ],
      ],
      fields: ['availability'],
      shown: answered,
    }),
    callVerb({
      ...shared,
      name: 'activate',
      summary: 'Let an agent reply',
      endpoint: contract.setActive,
      examples: [['msgctl agents activate agt_1', 'let it reply']],
      body: () => ({ active: true }),
      shown: { columns: ['agent_id', 'active'] },
    }),
    callVerb({
      ...shared,
      name: 'deactivate',
      summary: 'Stop an agent from replying',
      endpoint: contract.setActive,
      examples: [['msgctl agents deactivate agt_1', 'its configuration stays']],
      body: () => ({ active: false }),
      shown: { columns: ['agent_id', 'active'] },
    }),
    callVerb({
      ...shared,
      name: 'duplicate',
      endpoint: contract.duplicateAgent,
      examples: [['msgctl agents duplicate agt_1', 'make a copy to try things with']],
      shown: { columns: ['agent_id', 'source_agent_id'] },
    }),
    callVerb({
      ...shared,
      name: 'optimize',
      endpoint: contract.optimizeAgent,
      examples: [["msgctl agents optimize agt_1 --user-feedback 'Answer in one sentence'", 'draft better instructions']],
      fields: ['user_feedback', 'thumbs_down_feedback', 'thumbs_down_message'],
      shown: answered,
    }),
    callVerb({
      ...shared,
      name: 'publish-draft',
      endpoint: contract.publishDraft,
      examples: [['msgctl agents publish-draft agt_1', 'make the draft live']],
      shown: { columns: ['agent_id', 'published_keys'] },
    }),
    callVerb({
      ...shared,
      name: 'discard-draft',
      endpoint: contract.discardDraft,
      examples: [['msgctl agents discard-draft agt_1 --yes', 'skip the confirmation']],
      confirm: ([id]) => `Discard the draft of the agent ${id}?`,
      shown: { columns: [] },
      done: (_answer, [id]) => `Discarded the draft of the agent ${id}.`,
    }),
    deleteVerb('agent', {
      ...shared,
      endpoint: contract.deleteAgent,
      examples: [['msgctl agents delete agt_1 --yes', 'skip the confirmation']],
    }),
    callVerb({
      ...shared,
      name: 'tags add',
      endpoint: contract.addTag,
      examples: [[`msgctl agents tags add agt_1 --name VIP --description 'Says "big order"'`, 'tag contacts by what they say']],
      fields: [...ruleFields, 'tag.tag_id'],
      shown: { field: 'tag', columns: ['tag_id', 'name', 'description', 'webhook', 'ai_can_remove'] },
    }),
    callVerb({
      name: 'tags update',
      endpoint: contract.updateTag,
      examples: [['msgctl agents tags update agt_1 tag_1 --name VIP', 'replace a tagging rule']],
      arguments: [agent, tag],
      fields: ruleFields,
      shown: { columns: [] },
      done: (_answer, [id, tagId]) => `Replaced the rule of the agent ${id} for the tag ${tagId}.`,
    }),
    callVerb({
      name: 'tags remove',
      endpoint: contract.removeTag,
      examples: [['msgctl agents tags remove agt_1 tag_1 --yes', 'skip the confirmation']],
      arguments: [agent, tag],
      confirm: ([id, tagId]) => `Remove the rule of the agent ${id} for the tag ${tagId}?`,
      shown: { columns: [] },
      done: (_answer, [id, tagId]) => `Removed the rule of the agent ${id} for the tag ${tagId}.`,
    }),
    callVerb({
      ...shared,
      name: 'tags generate',
      endpoint: contract.generateTags,
      examples: [['msgctl agents tags generate agt_1', 'add drafted rules to those there are']],
      fields: ['mode'],
      shown: { columns: ['agent_id', 'mode'] },
    }),
    callVerb({
      ...shared,
      name: 'sources attach',
      endpoint: contract.attachSources,
      examples: [['msgctl agents sources attach agt_1 --kb-source-ids src_1,src_2', 'let an agent answer from two sources']],
      fields: ['kb_source_ids'],
      shown: { columns: ['agent_id', 'kb_source_ids'] },
    }),
    callVerb({
      name: 'sources detach',
      endpoint: contract.detachSource,
      examples: [['msgctl agents sources detach agt_1 src_1', 'the source stays']],
      arguments: [agent, { param: 'kbSourceId', name: 'source', summary: 'the id of a source' }],
      shown: { columns: [] },
      done: (_answer, [id, sourceId]) => `Detached the source ${sourceId} from the agent ${id}.`,
    }),
    callVerb({
      ...shared,
      name: 'sources detach-many',
      endpoint: contract.detachSources,
      examples: [['msgctl agents sources detach-many agt_1 --kb-source-ids src_1,src_2', 'detach two sources']],
      fields: ['kb_source_ids'],
      shown: { columns: ['agent_id', 'kb_source_ids'] },
    }),
  ],
};
