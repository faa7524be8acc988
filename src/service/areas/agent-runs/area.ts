import { agentOptimize } from './optimize.ts';
import { runFailpoints } from './run.ts';
import { agentTags } from './tags.ts';
import type { Area } from '../../area.ts';

/** The runs that draft the configuration and the tagging rules of agents. */
export const agentRunArea = {
  jobs: { agent_optimize: agentOptimize, agent_tags: agentTags },
  failpoints: runFailpoints,
} satisfies Area;
