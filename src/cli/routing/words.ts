import { counted } from '../../contract/text/counted.ts';
import { someOf } from '../../contract/text/some-of.ts';
import type { Agent, EntryPoint } from './entry-points.ts';

/** The trigger of a rule in words, such as `keyword 'menu', 'prices'`. */
export function describeRule({ type, match_config: config }: Pick<EntryPoint, 'type' | 'match_config'>): string {
  const keywords = quoted(config.keywords);
  const posts = ((config.post_ids as readonly string[] | undefined) ?? []).length;
  switch (type) {
    case 'keyword':
      return `keyword ${keywords}`;
    case 'photo_social_comment':
    case 'page_social_comment':
      return `comment${keywords === '' ? '' : ` with ${keywords}`}${posts > 0 ? ` on ${counted(posts, 'post')}` : ''}`;
    case 'photo_social_follower':
      return 'new follower';
    case 'channel_default': {
      const [number] = (config.phone_numbers as readonly string[] | undefined) ?? [];
      return number === undefined ? 'default' : `default of ${number}`;
    }
  }
}

function quoted(keywords: unknown): string {
  return someOf(((keywords as readonly string[] | undefined) ?? []).map((each) => `'${each}'`));
}

/** The name of an agent; `nobody` for null, and the id for an unknown agent. */
export function nameOf(id: string | null, agents: readonly Agent[]): string {
  if (id === null || id === '') return 'nobody';
  return agents.find((agent) => agent.id === id)?.name ?? id;
}

/** Replaces the ids of agents in a sentence by their names. */
export function withNames(text: string, agents: readonly Pick<Agent, 'id' | 'name'>[]): string {
  return agents.reduce((said, { id, name }) => said.replaceAll(id, name), text);
}
