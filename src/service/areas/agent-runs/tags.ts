import type { TaggingRule } from '../../../contract/areas/agents/agent.ts';
import { fold } from '../../../contract/text/fold.ts';
import { limits } from '../../../contract/limits.ts';
import type { JobDefinition } from '../../jobs/job.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { readQuestions } from '../agents/knowledge-refs.ts';
import type { GenerationPayload } from '../agents/runs.ts';
import { completeRule, linkRule, relinkRules } from '../agents/tagging-rules.ts';
import { checkSize } from '../agents/writing.ts';
import { profileOf } from '../answers/profile.ts';
import type { DraftedTag } from '../answers/writer.ts';
import { findTagByName } from '../tags/records.ts';
import { abandonRun, type RunKind, runOnce } from './run.ts';
import { chooseOnce } from './tag-choice.ts';

/** The number of questions from an agent's knowledge that a writer reads. */
const questionsRead = 200;

const generation: RunKind<'tag_generation', GenerationPayload, readonly DraftedTag[]> = {
  column: 'tag_generation',
  done: 'Completed',
  call: 'tags',
  prepare: async (db, _account, agent, { mode }, { writer }) => {
    const questions = await readQuestions(db, agent.id, questionsRead);
    const existing = mode === 'merge' ? agent.tags.map(({ name, description }) => ({ name, description })) : [];
    return () => writer.draftTags({ agent: profileOf(agent), questions, existing });
  },
  apply: async (db, account, agent, drafted, { mode }, now) => {
    const others = await relinkRules(db, account.id, mode === 'merge' ? agent.tags : []);
    const drafts = await draftsToAdd(db, account.id, others, drafted);
    // Checked before the tags are created, so that a failed run creates none. All ids have the same length.
    checkSize(account, { ...agent, tags: [...others, ...drafts.map((draft) => completeRule(draft, newId('tag')))] });
    const linked: TaggingRule[] = [];
    for (const draft of drafts) linked.push(await linkRule(db, account.id, draft, [], now));
    return { tags: [...others, ...linked] };
  },
};

/** The jobs of tagging rules: jobs that draft rules (rule agents.42), and jobs that let a model choose which rules apply. */
export const agentTags: JobDefinition<'agent_tags'> = {
  run: async ({ accountId, payload }, parts) =>
    'mode' in payload ? await runOnce(parts, generation, accountId, payload) : await chooseOnce(parts, accountId, payload),
  giveUp: ({ accountId, payload }) => ('mode' in payload ? abandonRun(generation, accountId, payload) : async () => {}),
};

/** The drafts that can be added to the other rules: without duplicates, and only for tags that have no rule yet. */
async function draftsToAdd(
  db: Db,
  accountId: string,
  others: readonly TaggingRule[],
  drafted: readonly DraftedTag[],
): Promise<readonly DraftedTag[]> {
  const taken = new Set(others.flatMap(({ tag_id: id, name }) => [id, fold(name)]));
  const added = new Map<string, DraftedTag>();
  for (const draft of drafted.slice(0, limits.taggingRules - others.length)) {
    const tag = await findTagByName(db, accountId, draft.name);
    const key = tag?.id ?? fold(draft.name);
    if (!taken.has(key) && !taken.has(fold(draft.name)) && !added.has(key)) added.set(key, draft);
  }
  return [...added.values()];
}
