import { expect } from 'vitest';
import { type Arrival, decide, hasKeywordRule, type Rule } from '../../../../src/contract/areas/routing/decide.ts';
import { it } from '../../../support/service-test.ts';

// The service looks rules up by keys. Its decisions must equal those of the same function over all rules, as listed by the API.

it.beforeAll(async ({ service }) => {
  await service.freshAccount();
});

/** A fixed seed, so that each run uses the same numbers. */
let seed = 7;
const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
const pick = <Value>(values: readonly Value[]): Value => values[random(values.length)] as Value;

const words = [
  'menu',
  'menus',
  'price list',
  'pricelist',
  'appointment',
  'apointment',
  'book',
  'books',
  'a',
  'öffnungszeiten',
  '🔥',
  '价格',
];
const channels = ['chatapp', 'sms', 'photo_social'] as const;
const posts = ['one', 'two'];

function someRule(): object {
  const keywords = Array.from({ length: 1 + random(3) }, () => pick(words));
  return random(3) > 0
    ? { type: 'keyword', channels: [pick(channels)], match_config: { keywords, fuzzy_match: random(2) === 0 } }
    : {
        type: 'photo_social_comment',
        channels: ['photo_social'],
        match_config: { keywords: random(2) === 0 ? keywords : [], post_ids: random(2) === 0 ? [pick(posts)] : [] },
      };
}

/** A text that equals a keyword, nearly equals it, or contains it. */
function someText(): string {
  const word = pick(words);
  switch (random(5)) {
    case 0:
      return word;
    case 1:
      return `${word.toUpperCase()}\nplease`;
    case 2:
      return `what is the ${word}?`;
    case 3:
      return `${word.slice(0, 2)}${word.slice(3)}`;
    default:
      return `${word}${pick(['s', 'x', ' '])}`;
  }
}

let contacts = 0;

// Proves rules routing.20, routing.25, routing.29.
it('the service decides like the function over all rules', async ({ service }) => {
  const agent = (await service.post('/agents', { name: 'Ada', active: false })).body.agent_id as string;
  const ids: string[] = [];
  for (let made = 0; made < 25; made++) ids.push((await service.post(`/agents/${agent}/entry-points`, someRule())).body.entry_point_id);
  for (let round = 0; round < 12; round++) {
    const changed = pick(ids);
    await service.put(`/entry-points/${changed}`, random(3) === 0 ? { enabled: false } : { enabled: true, ...someRule() });
    const rules = (await service.get(`/agents/${agent}/entry-points`)).body.entry_points as Rule[];
    for (let arrived = 0; arrived < 12; arrived++) {
      const isComment = random(3) === 0;
      const channel = isComment ? 'photo_social' : pick(channels);
      const from = channel === 'photo_social' ? `fan${++contacts}` : `+1415${4_000_000 + ++contacts}`;
      const text = someText().trim() || 'x';
      const arrival: Arrival = isComment ? { kind: 'comment', text, postId: pick(posts) } : { kind: 'message', text };
      const body = { channel, from, text, ...(arrival.kind === 'comment' && { post_id: arrival.postId }) };
      const answer = await service.sandbox('POST', `/accounts/${service.accountId}/${isComment ? 'comments' : 'inbound'}`, body);
      const nobody = { takeover: 'none', agentId: null, broadcast: null, hasWritten: false, ownIdentity: '', activeAgents: [] } as const;
      const expected = decide({ ...nobody, arrival, channel, rules, hasKeywordRule: hasKeywordRule(rules, channel) });
      expect(answer.body.decision, JSON.stringify(body)).toEqual(expected);
    }
  }
});
