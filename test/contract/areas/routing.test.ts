import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Arrival,
  decide,
  entryPointTypes,
  hasKeywordRule,
  type Rule,
  type Situation,
} from '../../../src/contract/areas/routing/decide.ts';
import {
  Comment,
  commentKeyword,
  commentWords,
  findKeyword,
  findNearKeyword,
  keywordForm,
  keywordTexts,
  matchComment,
} from '../../../src/contract/areas/routing/matching.ts';
import { similarity } from '../../../src/contract/text/similarity.ts';

let revisions = 0;

function rule(type: Rule['type'], more: Partial<Rule> = {}): Rule {
  const revision = ++revisions;
  const id = `${type}_${revision}`;
  return { id, type, channels: ['chatapp'], agent_id: `agent of ${id}`, enabled: true, match_config: {}, revision, ...more };
}

function situation(more: Partial<Situation> = {}): Situation {
  const { rules = [], channel = 'chatapp' } = more;
  return {
    arrival: { kind: 'message', text: 'menu' },
    channel,
    ownIdentity: '+14155550100',
    takeover: 'none',
    agentId: null,
    broadcast: null,
    hasWritten: false,
    hasKeywordRule: hasKeywordRule(rules, channel),
    activeAgents: [],
    rules,
    ...more,
  };
}

const outcome = (given: Partial<Situation>) => {
  const { step, agent_id, entry_point_id } = decide(situation(given));
  return { step, agent_id, entry_point_id };
};

const comment = (text = 'menu', postId = 'post'): Arrival => ({ kind: 'comment', text, postId });
const follow: Arrival = { kind: 'follow', isConnected: true };

const keyword = (more: Partial<Rule> = {}) => rule('keyword', { match_config: { keywords: ['menu'] }, ...more });
const wide = (more: Partial<Rule> = {}) => rule('channel_default', more);
const ofNumber = (number = '+14155550100', more: Partial<Rule> = {}) =>
  rule('channel_default', { match_config: { phone_numbers: [number] }, ...more });
const onPost = (more: Partial<Rule> = {}) => rule('photo_social_comment', { channels: ['photo_social'], ...more });
const follower = (more: Partial<Rule> = {}) => rule('photo_social_follower', { channels: ['photo_social_private'], ...more });

/** What makes each step decide. Of any two steps, the earlier one must win. */
const causes: [string, Partial<Situation>][] = [
  ['takeover', { takeover: 'taken_over' }],
  ['existing_agent', { agentId: 'existing' }],
  ['broadcast_reply', { broadcast: { id: 'brd_1', agent_id: 'of broadcast' } }],
  ['rule', { rules: [keyword()] }],
  ['channel_default', { rules: [wide()] }],
  ['single_agent', { activeAgents: ['single'] }],
  ['none', {}],
];

describe('the routing order', () => {
  const pairs = causes.flatMap(([first, one], index) => causes.slice(index + 1).map(([second, two]) => [first, second, one, two] as const));

  // Proves rules routing.20, messages.34.
  it.each(pairs)('the step %s comes before %s', (first, _second, one, two) => {
    const decision = decide(situation({ ...two, ...one, rules: [...(two.rules ?? []), ...(one.rules ?? [])] }));
    expect(decision.step).toBe(first);
    expect(decision.steps.map(({ step }) => step)).toEqual(
      causes.slice(0, causes.findIndex(([step]) => step === first) + 1).map(([step]) => step),
    );
    expect(decision.steps.map(({ decided }) => decided)).toEqual([...decision.steps.slice(1).map(() => false), true]);
    expect(decision.steps.every(({ reason }) => /^[A-Z+a-z].*[^.]$/.test(reason))).toBe(true);
    expect(decision.reason).toBe(decision.steps.at(-1)?.reason);
  });

  // Proves rule routing.21.
  it.each(['paused', 'taken_over'] as const)('assigns no agent while a contact is %s', (takeover) => {
    expect(outcome({ takeover, agentId: 'existing' })).toEqual({ step: 'takeover', agent_id: null, entry_point_id: null });
  });

  // Proves rule routing.23.
  it('assigns no agent to a reply to a broadcast that has no agent', () => {
    expect(outcome({ broadcast: { id: 'brd_1', agent_id: null }, rules: [wide()] })).toEqual({
      step: 'broadcast_reply',
      agent_id: null,
      entry_point_id: null,
    });
  });

  it('skips steps whose facts are unknown, and reports them as undecided', () => {
    const decision = decide(situation({ takeover: 'unknown', broadcast: 'unknown', activeAgents: ['single'] }));
    expect(decision.step).toBe('single_agent');
    expect(decision.steps.map(({ step, decided }) => [step, decided])).toEqual([
      ['takeover', null],
      ['existing_agent', false],
      ['broadcast_reply', null],
      ['rule', false],
      ['channel_default', false],
      ['single_agent', true],
    ]);
  });
});

describe('the winning rule', () => {
  const [first, second] = [keyword(), keyword()];
  const [older, newer] = [wide(), wide()];
  const number = ofNumber();
  const [comments, later] = [onPost(), onPost()];
  const [follows, followsLater] = [follower(), follower()];
  const onPhoto = keyword({ channels: ['photo_social'] });
  const near = keyword({ match_config: { keywords: ['menus'] } });
  const nearer = keyword({ match_config: { keywords: ['menue'] } });
  const exact = keyword();
  const exactOnly = keyword({ match_config: { keywords: ['menus'], fuzzy_match: false } });
  const nobody = wide({ agent_id: '' });
  const nobodyOnNumber = ofNumber('+14155550100', { agent_id: '' });
  const photo = { arrival: comment(), channel: 'photo_social' } as const;

  // Proves rules routing.24, routing.25, routing.31, routing.32, routing.33.
  it.each<[string, Partial<Situation>, Rule | null]>([
    ['the one updated last of two keyword rules', { rules: [second, first] }, second],
    ['an exact keyword rule over a rule with a near miss that was updated later', { rules: [first, near] }, first],
    ['an exact keyword rule over a rule with a near miss that was updated earlier', { rules: [exact, near] }, exact],
    ['the one updated last of two rules with near misses', { rules: [near, nearer] }, nearer],
    ['an older rule, if the newer one has only a near miss and does not allow it', { rules: [exactOnly, first] }, first],
    ['a keyword rule over a default that was updated later', { rules: [first, newer] }, first],
    ['a keyword rule over the default of a number', { rules: [number, first] }, first],
    ['the default of the number over the default of the channel', { rules: [number, newer, older] }, number],
    ['the default of the channel, if the other default is for another number', { rules: [ofNumber('+14155550199'), older] }, older],
    ['the default of the number, even if it is nobody and the channel has an agent', { rules: [nobodyOnNumber, older] }, nobodyOnNumber],
    ['the one updated last of two comment rules', { ...photo, rules: [later, comments] }, later],
    ['a keyword rule over a comment rule that was updated later', { ...photo, rules: [onPhoto, onPost()] }, onPhoto],
    ['a comment rule, if the contact has written before', { ...photo, hasWritten: true, rules: [onPhoto, comments] }, comments],
    ['a comment rule over a follower rule', { ...photo, rules: [followsLater, comments] }, comments],
    [
      'the one updated last of two follower rules',
      { arrival: follow, channel: 'photo_social_private', rules: [followsLater, follows] },
      followsLater,
    ],
    ['a default set to nobody over the fallback', { rules: [nobody], activeAgents: ['single'] }, nobody],
  ])('is %s', (_what, given, winner) => {
    expect(outcome(given)).toMatchObject({ agent_id: winner?.agent_id || null, entry_point_id: winner?.id ?? null });
  });

  it.each<[string, Partial<Situation>]>([
    ['a retired keyword rule', { rules: [keyword({ enabled: false })] }],
    ['a retired default', { rules: [wide({ enabled: false })] }],
    ['a keyword rule for another channel', { rules: [keyword({ channels: ['sms', 'email'] })] }],
    ['a default for another channel', { rules: [wide({ channels: ['email'] })] }],
    ['a default for another number', { rules: [ofNumber('+14155550199')] }],
    ['a keyword rule on sms', { channel: 'sms', rules: [keyword({ channels: ['sms'] })] }],
    ['a keyword rule on device_messenger', { channel: 'device_messenger', rules: [keyword({ channels: ['device_messenger'] })] }],
    ['a keyword rule for a contact who wrote before', { hasWritten: true, rules: [keyword()] }],
    ['a comment rule for a message', { channel: 'photo_social', rules: [onPost()] }],
    [
      'a comment rule for another network',
      { ...photo, rules: [rule('page_social_comment', { channels: ['page_social', 'photo_social'] })] },
    ],
    ['a comment rule for another post', { ...photo, rules: [onPost({ match_config: { post_ids: ['other'] } })] }],
    ['a comment rule for other keywords', { ...photo, rules: [onPost({ match_config: { keywords: ['price'] } })] }],
    ['a default for a comment', { ...photo, rules: [wide({ channels: ['photo_social'] })], activeAgents: ['single'] }],
    ['a follower rule for a comment', { ...photo, rules: [follower()] }],
    ['a follower rule without a connected account', { arrival: { kind: 'follow', isConnected: false }, rules: [follower()] }],
    [
      'a keyword rule for a follower',
      { arrival: follow, channel: 'photo_social_private', rules: [keyword({ channels: ['photo_social_private'] })] },
    ],
  ])('never is %s', (_what, given) => {
    expect(outcome(given)).toEqual({ step: 'none', agent_id: null, entry_point_id: null });
  });
});

describe('the fallback', () => {
  // Proves rules routing.34, routing.35.
  it.each<[string, Partial<Situation>, string]>([
    ['applies to the only active agent', { activeAgents: ['single'] }, 'single_agent'],
    ['does not apply to two agents', { activeAgents: ['one', 'two'] }, 'none'],
    ['does not apply without an agent', {}, 'none'],
    ['applies beside a default for another number', { activeAgents: ['single'], rules: [ofNumber('+14155550199')] }, 'single_agent'],
    [
      'applies beside a keyword rule of another channel',
      { activeAgents: ['single'], rules: [keyword({ channels: ['email'] })] },
      'single_agent',
    ],
    ['applies beside a retired keyword rule', { activeAgents: ['single'], rules: [keyword({ enabled: false })] }, 'single_agent'],
    [
      'does not apply to a channel with a keyword rule',
      { activeAgents: ['single'], arrival: { kind: 'message', text: 'x' }, rules: [keyword()] },
      'none',
    ],
    [
      'does not apply to sms with a keyword rule',
      { activeAgents: ['single'], channel: 'sms', rules: [keyword({ channels: ['sms'] })] },
      'none',
    ],
    ['does not apply if the contact has written before', { activeAgents: ['single'], hasWritten: true, rules: [keyword()] }, 'none'],
  ])('%s', (_what, given, step) => {
    expect(decide(situation(given)).step).toBe(step);
  });
});

describe('keyword matching', () => {
  // Proves rules routing.26, routing.27, routing.29.
  it.each([
    ['menu', ['menu'], true, 'menu'],
    ['  M E N U ', ['menu'], true, 'menu'],
    ['pricelist', ['Price  List'], false, 'Price  List'],
    ['\n\n menu \nplease, for tonight', ['menu'], false, 'menu'],
    ['\r\nmenu\r\nplease', ['menu'], false, 'menu'],
    ['ＭＥＮＵ', ['menu'], false, 'menu'],
    ['STRASSE', ['Straße'], false, 'Straße'],
    ['straße', ['STRASSE'], false, 'STRASSE'],
    ['ΟΔΟΣ', ['οδοσ'], false, 'οδοσ'],
    ['ΘΕΣΝΙΚΗ', ['Θες Νικη'], false, 'Θες Νικη'],
    ['strasse99', ['Straße98'], true, 'Straße98'],
    ['menu please', ['menu'], true, undefined],
    ['menus', ['menu'], true, 'menu'],
    ['menus', ['menu'], false, undefined],
    ['men', ['menu'], true, undefined],
    ['appointmnt\nfor two', ['appointment'], true, 'appointment'],
    ['apointmnt', ['appointment'], true, 'appointment'],
    ['apintmnt', ['appointment'], true, undefined],
    ['', ['menu'], true, undefined],
    ['\n\n', ['menu'], true, undefined],
    ['abd', ['abc', 'abd'], true, 'abd'],
  ])('the message %j with the keywords %j (near misses: %j) matches %j', (text, keywords, isFuzzy, expected) => {
    const texts = keywordTexts(text);
    expect(findKeyword(texts, keywords) ?? (isFuzzy ? findNearKeyword(texts, keywords) : undefined)).toBe(expected);
  });

  // Proves rule routing.30.
  it.each([
    ['PRICE please!', ['price'], 'price'],
    ['what is the price?', ['price'], 'price'],
    ['prices', ['price'], undefined],
    ['the price  list, please', ['Price list'], 'Price list'],
    ['pricelist', ['price list'], 'price list'],
    ['price of the list', ['price list'], undefined],
    ['🔥🔥 love it', ['🔥'], '🔥'],
    ['请问价格多少', ['价格'], '价格'],
    ['请问价位多少', ['价格'], undefined],
    ['die STRASSE bitte', ['Straße'], 'Straße'],
    ['η ΟΔΟΣ;', ['οδος'], 'οδος'],
    ['', ['price'], undefined],
  ])('the comment %j with the keywords %j matches %j', (text, keywords, expected) => {
    expect(matchComment(new Comment(text), keywords)).toBe(expected);
  });
});

/** Whether a comment has one of the keywords, word by word. */
function naivelyHas(text: string, keywords: readonly string[]): boolean {
  const words = commentWords(text);
  return keywords.some((keyword) => {
    const wanted = commentWords(keyword);
    const isWithin = wanted.length > 0 && words.some((_, at) => wanted.every((word, offset) => words[at + offset] === word));
    return isWithin || keywordForm(keyword) === keywordForm(text);
  });
}

it('a comment has keywords as whole words, however many there are', () => {
  const text = fc.array(fc.constantFrom('price', 'list', 'Price', '价', '格', '🔥', 'x', '!'), { minLength: 1, maxLength: 6 });
  const spaced = fc.tuple(text, fc.constantFrom(' ', '', '\n')).map(([words, space]) => words.join(space));
  fc.assert(
    // With more than 64 keywords, the comment is indexed.
    fc.property(spaced, fc.array(spaced, { minLength: 60, maxLength: 80 }), (given, keywords) => {
      const comment = new Comment(given);
      for (const keyword of keywords) expect(comment.has(commentKeyword(keyword))).toBe(naivelyHas(given, [keyword]));
    }),
    { numRuns: 300 },
  );
});

/** A naive implementation of the rules, as they are written. */
function naive(s: Situation): { step: string; agent: string | null; rule: string | null } {
  const says = (step: string, agent: string | null, by: Rule | null = null) => ({ step, agent: agent || null, rule: by?.id ?? null });
  const isMessage = s.arrival.kind === 'message';
  if (s.takeover === 'paused' || s.takeover === 'taken_over') return says('takeover', null);
  if (s.agentId !== null) return says('existing_agent', s.agentId);
  if (isMessage && s.broadcast !== null && s.broadcast !== 'unknown') return says('broadcast_reply', s.broadcast.agent_id);
  const enabled = s.rules.filter((each) => each.enabled);
  // Keyword rules that match, those that nearly match, comment rules and follower rules.
  const narrow: Rule[][] = [[], [], [], []];
  for (const each of enabled) {
    const { keywords = [], post_ids: posts = [], fuzzy_match: fuzzy = true } = each.match_config;
    if (each.type === 'keyword' && s.arrival.kind !== 'follow' && !s.hasWritten && each.channels.includes(s.channel)) {
      const line = s.arrival.text.split('\n').find((text) => text.trim()) ?? '';
      const texts = [keywordForm(s.arrival.text), keywordForm(line)].filter((text) => text);
      const applies = s.channel !== 'sms' && s.channel !== 'device_messenger';
      const closest = Math.max(0, ...keywords.map(keywordForm).flatMap((word) => texts.map((text) => similarity(text, word))));
      if (applies && closest === 1) narrow[0]?.push(each);
      else if (applies && fuzzy && closest >= 0.8 - 1e-12) narrow[1]?.push(each);
    }
    if (s.arrival.kind === 'comment' && each.type === `${s.channel}_comment` && (posts.length === 0 || posts.includes(s.arrival.postId)))
      if (keywords.length === 0 || naivelyHas(s.arrival.text, keywords)) narrow[2]?.push(each);
    if (s.arrival.kind === 'follow' && s.arrival.isConnected && each.type === 'photo_social_follower') narrow[3]?.push(each);
  }
  const kind = narrow.find((rules) => rules.length > 0);
  if (kind) {
    const last = kind.reduce((a, b) => (a.revision > b.revision ? a : b));
    return says('rule', last.agent_id, last);
  }
  if (!isMessage) return says('none', null);
  const defaults = enabled.filter((each) => each.type === 'channel_default' && each.channels[0] === s.channel);
  const scoped = defaults.find((each) => each.match_config.phone_numbers?.includes(s.ownIdentity));
  const chosen = scoped ?? defaults.find((each) => !each.match_config.phone_numbers?.length);
  if (chosen) return says('channel_default', chosen.agent_id, chosen);
  const covered = enabled.some((each) => each.type === 'keyword' && each.channels.includes(s.channel));
  if (s.activeAgents.length === 1 && !covered) return says('single_agent', s.activeAgents[0] ?? null);
  return says('none', null);
}

// Proves rule routing.20.
it('the decision agrees with a naive implementation of the rules in any situation', () => {
  const channel = fc.constantFrom('chatapp', 'sms', 'photo_social', 'page_social', 'photo_social_private') as fc.Arbitrary<
    Situation['channel']
  >;
  const text = fc.constantFrom('menu', 'menus', 'MENU\nplease', 'price', 'what price', 'hello', 'xyz', ' ', 'appointment', 'apointment');
  const post = fc.constantFrom('a', 'b');
  const number = fc.constantFrom('+14155550100', '+14155550199');
  const arrival: fc.Arbitrary<Arrival> = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('message' as const), text }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('comment' as const), text, postId: post }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('follow' as const), isConnected: fc.boolean() }) },
  );
  const some = fc.record({
    type: fc.constantFrom(...entryPointTypes),
    channels: fc.uniqueArray(channel, { minLength: 1, maxLength: 3 }),
    agent_id: fc.constantFrom('one', 'two', ''),
    enabled: fc.boolean(),
    match_config: fc.record(
      {
        keywords: fc.array(text, { maxLength: 2 }),
        fuzzy_match: fc.boolean(),
        post_ids: fc.array(post, { maxLength: 1 }),
        phone_numbers: fc.array(number, { maxLength: 1 }),
      },
      { requiredKeys: [] },
    ),
  });
  const often = <Value>(usual: Value, others: fc.Arbitrary<Value>) => fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, others);
  const any = fc
    .record({
      arrival,
      channel,
      ownIdentity: number,
      takeover: often<Situation['takeover']>('none', fc.constantFrom('paused', 'taken_over')),
      agentId: often<string | null>(null, fc.constant('existing')),
      broadcast: often<Situation['broadcast']>(null, fc.constantFrom({ id: 'b', agent_id: null }, { id: 'b', agent_id: 'of broadcast' })),
      hasWritten: fc.boolean(),
      activeAgents: fc.constantFrom<string[]>([], ['one'], ['one', 'two']),
      rules: fc.array(some, { maxLength: 6 }),
    })
    .map(({ rules: given, ...others }) => {
      // At most one default in force for a channel and number, which is what the service guarantees.
      const scopes = new Set<string>();
      const rules = given.flatMap((each, index): Rule[] => {
        const isDefault = each.type === 'channel_default';
        const channels = isDefault ? each.channels.slice(0, 1) : each.channels;
        const scope = `${channels[0]} ${each.match_config.phone_numbers?.[0] ?? ''}`;
        if (isDefault && each.enabled && scopes.has(scope)) return [];
        if (isDefault && each.enabled) scopes.add(scope);
        return [{ ...each, channels, id: `rule ${index}`, revision: (index * 7) % 11 }];
      });
      return situation({ ...others, rules });
    });
  fc.assert(
    fc.property(any, (given) => {
      const { step, agent_id: agent, entry_point_id: by } = decide(given);
      expect({ step, agent, rule: by }).toEqual(naive(given));
    }),
    { numRuns: 5_000 },
  );
});
