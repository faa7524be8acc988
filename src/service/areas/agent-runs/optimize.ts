import type { JobDefinition, JobPayloads } from '../../jobs/job.ts';
import { checkSize } from '../agents/writing.ts';
import { feedbackOf } from '../agents/runs.ts';
import { profileOf } from '../answers/profile.ts';
import { type AgentTexts, WriterFailed } from '../answers/writer.ts';
import { readTexts } from '../kb/page-texts.ts';
import { abandonRun, type RunKind, runOnce } from './run.ts';

const optimization: RunKind<'optimize_run', JobPayloads['agent_optimize'], Partial<AgentTexts>> = {
  column: 'optimize_run',
  done: 'Draft',
  call: 'optimize',
  prepare:
    async (_db, account, agent, { feedback, complaint, urls }, { writer, crawling }) =>
    async () => {
      if (!urls) return await writer.optimize({ agent: profileOf(agent), feedback, complaint, pages: [] });
      const { pages, flaw } = await readTexts(crawling, account.id, urls);
      if (flaw && pages.length === 0) throw new WriterFailed(flaw.text, flaw.code);
      return await writer.optimize({ agent: profileOf(agent), ...feedbackOf(pages.map(({ url }) => url)), pages });
    },
  apply: async (_db, account, agent, texts) => {
    const draft = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined));
    checkSize(account, { ...agent, ...draft });
    return { draft };
  },
};

/** The jobs that draft a better configuration of an agent (rule agents.41). */
export const agentOptimize: JobDefinition<'agent_optimize'> = {
  run: ({ accountId, payload }, parts) => runOnce(parts, optimization, accountId, payload),
  giveUp: ({ accountId, payload }) => abandonRun(optimization, accountId, payload),
};
