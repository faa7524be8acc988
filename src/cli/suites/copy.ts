import type { Client } from '../../client/client.ts';
import { lacksEndpoint } from '../../client/errors.ts';
import { getAgent, listAgents, updateAgent } from '../../contract/areas/agents/endpoints.ts';
import { createCampaign } from '../../contract/areas/campaigns/endpoints.ts';
import { importFaqs, listFaqs } from '../../contract/areas/faqs/endpoints.ts';
import { listMedia } from '../../contract/areas/media/endpoints.ts';
import { holdJobs, settle } from '../../contract/areas/sandbox/jobs.ts';
import { jobKinds } from '../../contract/job-kinds.ts';
import { limits } from '../../contract/limits.ts';
import { copiedKinds } from '../../account-as-code/kinds.ts';
import { readLive } from '../../account-as-code/live.ts';
import { loadConfiguration, lostText, type Scratch } from '../account-as-code/scratch.ts';

/** The jobs that the copy runs: those that make FAQs found. All others could leave this machine. */
const runInCopy: ReadonlySet<string> = new Set(['faq_search']);

/** A FAQ as lists show it. */
interface Faq {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
  readonly is_active: boolean;
}

/**
 * Copies an account to an empty one: its configuration, and what its agents know.
 * @param usesDraft whether the draft of an agent is tested instead of what is live
 * @param change changes the copy, as a plan would
 * @returns what could not be copied
 */
export async function copyAccount(
  client: Client,
  scratch: Scratch,
  usesDraft: (agentId: string) => boolean,
  change?: (scratch: Scratch) => Promise<void>,
): Promise<string[]> {
  const live = await readLive(client, copiedKinds);
  const lost = await loadConfiguration(live, scratch);
  await copyKnowledge(client, scratch);
  const withMedia = await agentsWithMedia(client, scratch);
  await applyDrafts(client, scratch, usesDraft);
  await change?.(scratch);
  await scratch.sandbox.call(holdJobs, { body: { hold: jobKinds.filter((kind) => !runInCopy.has(kind)) } });
  await scratch.sandbox.call(settle, {});
  return [...lost.map(lostText), ...withMedia.map((name) => `the media of the agent ${name}, so it is not offered send_media`)];
}

/** An agent, and its copy. */
interface Pair {
  readonly id: string;
  readonly copyId: string;
  readonly name: string;
}

/** Agents by name: their ids in the account and in its copy. */
async function agentPairs(client: Client, { client: copy }: Scratch): Promise<Pair[]> {
  const [{ agents }, { agents: copied }] = await Promise.all([client.call(listAgents, {}), copy.call(listAgents, {})]);
  return agents.flatMap(({ id, name }) => {
    const twin = copied.find((each) => each.name === name);
    return twin ? [{ id, copyId: twin.id, name: name ?? id }] : [];
  });
}

/** The names of the agents of the copy that have media in the account. */
async function agentsWithMedia(client: Client, scratch: Scratch): Promise<string[]> {
  const found: string[] = [];
  for (const { id, name } of await agentPairs(client, scratch)) {
    try {
      const { media } = await client.call(listMedia, { params: { agentId: id }, query: { limit: 1 } });
      if (media.length > 0) found.push(name);
    } catch (error) {
      if (!lacksEndpoint(error)) throw error;
    }
  }
  return found;
}

/** Gives the agents of the copy the FAQs of attached sources and of groups that are no configuration. */
async function copyKnowledge(client: Client, scratch: Scratch): Promise<void> {
  const all = new Map(((await client.all(listFaqs, {})) as unknown as Faq[]).map((faq) => [faq.id, faq]));
  for (const { id, copyId } of await agentPairs(client, scratch)) {
    const { agent } = await client.call(getAgent, { params: { agentId: id }, query: { fields: 'name,faq_refs' } });
    const { agent: known } = await scratch.client.call(getAgent, { params: { agentId: copyId }, query: { fields: 'faq_refs' } });
    const has = await questionsOf(scratch.client, known.faq_refs ?? []);
    const missing = (agent.faq_refs ?? []).flatMap((faqId) => all.get(faqId) ?? []).filter(({ question }) => !has.has(question));
    if (missing.length === 0) continue;
    const { campaign } = await scratch.client.call(createCampaign, {
      body: { name: `What ${agent.name ?? id} knows besides`, agent_id: copyId },
    });
    for (let from = 0; from < missing.length; from += limits.faqBulk) {
      const faqs = missing.slice(from, from + limits.faqBulk).map(({ question, answer }) => ({ question, answer }));
      await scratch.client.call(importFaqs, { body: { campaign_id: campaign.id, faqs } });
    }
  }
}

async function questionsOf(client: Client, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const wanted = new Set(ids);
  const faqs = (await client.all(listFaqs, {})) as unknown as Faq[];
  return new Set(faqs.filter(({ id }) => wanted.has(id)).map(({ question }) => question));
}

/** Makes the drafts of agents their configuration in the copy. */
async function applyDrafts(client: Client, scratch: Scratch, usesDraft: (agentId: string) => boolean): Promise<void> {
  for (const { id, copyId } of (await agentPairs(client, scratch)).filter((pair) => usesDraft(pair.id))) {
    const { agent } = await client.call(getAgent, { params: { agentId: id }, query: { fields: 'draft' } });
    if (agent.draft) await scratch.client.call(updateAgent, { params: { agentId: copyId }, body: agent.draft });
  }
}
