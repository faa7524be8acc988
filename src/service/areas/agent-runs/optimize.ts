import type { JobDefinition, JobPayloads } from '../../jobs/job.ts';
import { checkSize } from '../agents/writing.ts';
import { feedbackOf } from '../agents/runs.ts';
import { profileOf } from '../answers/profile.ts';
import { type AgentTexts, WriterFailed } from '../answers/writer.ts';
import type { Crawling } from '../kb/crawling.ts';
import { readTexts } from '../kb/page-texts.ts';
import { abandonRun, type RunKind, runOnce, type RunParts } from './run.ts';

/** Defines the jobs that draft a better configuration of an agent (rule agents.41). */
export function agentOptimize(parts: RunParts & { readonly crawling: Crawling }): JobDefinition<'agent_optimize'> {
  const { writer, crawling } = parts;
  const kind: RunKind<'optimize_run', JobPayloads['agent_optimize'], Partial<AgentTexts>> = {
    column: 'optimize_run',
    done: 'Draft',
    call: 'optimize',
    provider: writer.provider,
    prepare:
      async (_db, account, agent, { feedback, complaint, urls }) =>
      async () => {
        if (!urls) return await writer.optimize({ agent: profileOf(agent), feedback, complaint, pages: [] });
        const { pages, flaw } = await readTexts(crawling, account.id, urls);
        if (flaw !== undefined && pages.length === 0) throw new WriterFailed(flaw);
        return await writer.optimize({ agent: profileOf(agent), ...feedbackOf(pages.map(({ url }) => url)), pages });
      },
    apply: async (_db, account, agent, texts) => {
      const draft = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined));
      checkSize(account, { ...agent, ...draft });
      return { draft };
    },
  };
  return {
    run: ({ accountId, payload }) => runOnce(parts, kind, accountId, payload),
    giveUp: ({ accountId, payload }) => abandonRun(kind, accountId, payload),
  };
}
