import type { TaggingRule } from '../../../contract/areas/agents/agent.ts';
import { limits } from '../../../contract/limits.ts';
import type { JobDefinition } from '../../jobs/job.ts';
import type { Db } from '../../store/database.ts';
import { readQuestions } from '../agents/knowledge-refs.ts';
import type { GenerationPayload } from '../agents/runs.ts';
import { linkRule, relinkRules } from '../agents/tagging-rules.ts';
import { checkSize } from '../agents/writing.ts';
import { profileOf } from '../answers/profile.ts';
import type { DraftedTag } from '../answers/writer.ts';
import { abandonRun, type RunKind, runOnce, type RunParts } from './run.ts';
import { chooseOnce } from './tag-choice.ts';

/** How many questions of an agent's knowledge a writer reads. */
const questionsRead = 200;

/** Defines the jobs of tagging rules: those that draft them (rule agents.42), and those that let a model choose which apply. */
export function agentTags(parts: RunParts): JobDefinition<'agent_tags'> {
  const { store, writer } = parts;
  const kind: RunKind<'tag_generation', GenerationPayload, readonly DraftedTag[]> = {
    column: 'tag_generation',
    done: 'Completed',
    call: 'tags',
    provider: writer.provider,
    prepare: async (db, _account, agent, { mode }) => {
      const questions = await readQuestions(db, agent.id, questionsRead);
      const existing = mode === 'merge' ? agent.tags.map(({ name, description }) => ({ name, description })) : [];
      return () => writer.draftTags({ agent: profileOf(agent), questions, existing });
    },
    apply: async (db, account, agent, drafted, { mode }, now) => {
      const tags = await withDrafts(db, account.id, mode === 'merge' ? agent.tags : [], drafted, now);
      checkSize(account, { ...agent, tags });
      return { tags };
    },
  };
  return {
    run: async ({ accountId, payload }) =>
      'mode' in payload ? await runOnce(parts, kind, accountId, payload) : await chooseOnce(store, writer, accountId, payload),
    giveUp: ({ accountId, payload }) => ('mode' in payload ? abandonRun(kind, accountId, payload) : async () => {}),
  };
}

/** Adds drafted rules to others. A tag that has a rule keeps it. */
async function withDrafts(
  db: Db,
  accountId: string,
  others: readonly TaggingRule[],
  drafted: readonly DraftedTag[],
  now: number,
): Promise<TaggingRule[]> {
  const linked: TaggingRule[] = [];
  for (const draft of drafted.slice(0, limits.taggingRules - others.length)) linked.push(await linkRule(db, accountId, draft, [], now));
  const rules = await relinkRules(db, accountId, others);
  for (const rule of linked) if (!rules.some(({ tag_id: id }) => id === rule.tag_id)) rules.push(rule);
  return rules;
}
