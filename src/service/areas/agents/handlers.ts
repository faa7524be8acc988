import { pageAddress } from '../../../contract/areas/kb/address.ts';
import { firstCharacters } from '../../../contract/text/first-characters.ts';
import { limits } from '../../../contract/limits.ts';
import { ApiError, invalidField } from '../../errors.ts';
import { type AreaHandlers, ownTransactionsHandler, preparedHandler } from '../../http/handler.ts';
import { checkAddress, checkPage } from '../../network/address-rules.ts';
import { withJournal } from '../activity/journal.ts';
import { copyAttached } from './attached.ts';
import { botNames, changedFields, readChange, settableNames } from './changes.ts';
import { deleteAgent } from './deletion.ts';
import { publishable } from './drafts.ts';
import { beginOptimizing, beginTagGeneration, feedbackOf, readFeedback } from './runs.ts';
import { listAgents, requireAgent, showAgent, viewOf } from './records.ts';
import { attachSources, copyKnowledge, detachSources } from './sources.ts';
import { agents } from './table.ts';
import { checkedRule, checkRuleWebhooks, completeRule, linkRule, relinkRules, requireRule } from './tagging-rules.ts';
import { changeAgent, checkTier, createAgent, readColumns } from './writing.ts';

/** The handlers of the area. */
export const agentHandlers: AreaHandlers<'agents'> = {
  'agents.list': ownTransactionsHandler(async ({ service, account, query }) => {
    const isSummary = query.view === 'summary';
    return { agents: await listAgents(service, account.id, viewOf(isSummary ? query.fields : undefined, isSummary)) };
  }),

  'agents.create': preparedHandler(
    async ({ body, service }) => {
      await checkRuleWebhooks(body.tags ?? [], service.outbound);
      for (const [index, url] of (body.scrape_urls ?? []).entries())
        await checkPage(pageAddress(url), `scrape_urls.${index}`, service.outbound);
    },
    async ({ db, account, body, now }) => {
      const { scrape_urls: urls, name, ...fields } = body;
      const columns = await readColumns(db, account, { tags: [] }, fields, now);
      const agent = await createAgent(db, account, { timezone: account.timezone, language: account.language, ...columns, name }, now);
      const isQueued = urls !== undefined && urls.length > 0;
      if (isQueued) await withJournal(db, account, now, (journal) => beginOptimizing(db, journal, agent, feedbackOf(urls), urls));
      return { agent_id: agent.id, substrate_campaign_id: null, agent_generation_queued: isQueued };
    },
  ),

  'agents.get': async ({ db, account, params, query }) => ({
    agent: await showAgent(db, account.id, params.agentId, viewOf(query.fields, false)),
  }),

  'agents.update': preparedHandler(
    async ({ body, service }) => {
      const change = readChange(body, settableNames());
      await checkRuleWebhooks(change.fields.tags ?? [], service.outbound);
      return change;
    },
    async ({ db, account, params, now }, change) => {
      const agent = await agents.require(db, account.id, params.agentId);
      const columns = await readColumns(db, account, agent, changedFields(agent, change), now);
      await changeAgent(db, account, agent, columns, now);
      return { agent_id: agent.id };
    },
  ),

  'agents.botConfig': async ({ db, account, params, body, now }) => {
    const dotted = Object.keys(body).find((key) => key.includes('.'));
    if (dotted !== undefined) throw invalidField(dotted, 'dotted keys are not accepted here');
    const { fields } = readChange(body, botNames());
    const agent = await agents.require(db, account.id, params.agentId);
    await changeAgent(db, account, agent, await readColumns(db, account, agent, fields, now), now);
    return { agent_id: agent.id };
  },

  'agents.activeHours': async ({ db, account, params, body, now }) => {
    const agent = await agents.require(db, account.id, params.agentId);
    await changeAgent(db, account, agent, { availability: { ...agent.availability, ...body.availability } }, now);
    return { agent_id: agent.id };
  },

  'agents.setActive': async ({ db, account, params, body, now }) => {
    const { id, active } = await agents.change(db, account.id, params.agentId, body, now);
    return { agent_id: id, active };
  },

  'agents.duplicate': async ({ db, account, params, now }) => {
    const source = await agents.require(db, account.id, params.agentId);
    checkTier(account, source.ai_model_tier);
    const { seq: _seq, id, account_id: _account, created_at: _created, updated_at: _updated, ...columns } = source;
    const own = { name: copyName(source.name), active: false, draft: null, previous: null, optimize_run: null, tag_generation: null };
    const copy = await createAgent(db, account, { ...columns, ...own }, now);
    await copyKnowledge(db, id, copy.id);
    await copyAttached(db, id, copy.id, now);
    return { agent_id: copy.id, source_agent_id: id };
  },

  'agents.delete': async ({ db, account, params, now }) => {
    await deleteAgent(db, account.id, params.agentId, now);
    return { agent_id: params.agentId };
  },

  'agents.publishDraft': async ({ db, account, params, now }) => {
    const agent = await agents.require(db, account.id, params.agentId);
    const { fields, keys, previous } = publishable(agent);
    await changeAgent(db, account, agent, { ...(await readColumns(db, account, agent, fields, now)), draft: null, previous }, now);
    return { agent_id: agent.id, published_keys: keys };
  },

  'agents.discardDraft': async ({ db, account, params, now }) => {
    const { draft } = await agents.require(db, account.id, params.agentId);
    if (draft !== null) await agents.change(db, account.id, params.agentId, { draft: null }, now);
    return {};
  },

  'agents.optimize': async ({ db, account, params, body, now }) => {
    const agent = await agents.require(db, account.id, params.agentId);
    await withJournal(db, account, now, (journal) => beginOptimizing(db, journal, agent, readFeedback(body)));
    return { agent_id: agent.id };
  },

  'agents.addTag': preparedHandler(
    ({ body, service }) => checkAddress(body.tag.webhook, 'tag.webhook', service.outbound),
    async ({ db, account, params, body, now }) => {
      const agent = await agents.require(db, account.id, params.agentId);
      const linked = await linkRule(db, account.id, body.tag, agent.tags, now);
      const others = await relinkRules(db, account.id, agent.tags);
      const rule = checkedRule(others, linked);
      if (others.length >= limits.taggingRules) throw new ApiError(400, `An agent has at most ${limits.taggingRules} tagging rules`);
      await changeAgent(db, account, agent, { tags: [...others, rule] }, now);
      return { agent_id: agent.id, tag: rule };
    },
  ),

  'agents.updateTag': preparedHandler(
    ({ body, service }) => checkAddress(body.tag.webhook, 'tag.webhook', service.outbound),
    async ({ db, account, params, body, now }) => {
      const agent = await agents.require(db, account.id, params.agentId);
      const replaced = requireRule(agent.tags, params.tagId);
      const rule = completeRule(body.tag, replaced.tag_id);
      await changeAgent(db, account, agent, { tags: agent.tags.map((each) => (each === replaced ? rule : each)) }, now);
      return {};
    },
  ),

  'agents.removeTag': async ({ db, account, params, now }) => {
    const agent = await agents.require(db, account.id, params.agentId);
    const removed = requireRule(agent.tags, params.tagId);
    await changeAgent(db, account, agent, { tags: agent.tags.filter((each) => each !== removed) }, now);
    return {};
  },

  'agents.generateTags': async ({ db, account, params, body, now }) => {
    const { mode = 'merge' } = body;
    const agent = await agents.require(db, account.id, params.agentId);
    await withJournal(db, account, now, (journal) => beginTagGeneration(db, journal, agent, mode));
    return { agent_id: agent.id, mode };
  },

  'agents.attachSources': async ({ db, account, params, body }) => {
    await requireAgent(db, account.id, params.agentId);
    // The contract requires one of the two fields.
    const ids = body.kb_source_ids ?? [body.kb_source_id as string];
    await attachSources(db, account.id, params.agentId, ids);
    return { agent_id: params.agentId, kb_source_id: ids[0] as string, kb_source_ids: [...ids] };
  },

  'agents.detachSource': async ({ db, account, params }) => {
    await requireAgent(db, account.id, params.agentId);
    await detachSources(db, account.id, params.agentId, [params.kbSourceId]);
    return {};
  },

  'agents.detachSources': async ({ db, account, params, body }) => {
    await requireAgent(db, account.id, params.agentId);
    await detachSources(db, account.id, params.agentId, body.kb_source_ids);
    return { agent_id: params.agentId, kb_source_ids: [...body.kb_source_ids] };
  },
};

/** The name of a copy, within the maximum length. */
function copyName(name: string): string {
  const suffix = ' (copy)';
  return firstCharacters(name, limits.nameLength - suffix.length) + suffix;
}
