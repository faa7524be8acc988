import { InterfaceError } from '../../../client/errors.ts';
import { definedFields } from '../../../contract/defined-fields.ts';
import * as contract from '../../../contract/areas/routing/endpoints.ts';
import { callVerb } from '../../verb/call-verb.ts';
import type { Invocation, Options, OptionSpec, Session, Verb } from '../../verb/noun.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { orEmpty, parseInteger, parseList } from '../../verb/values.ts';
import { agentArgument, agentLookup } from '../../lookups/agents.ts';
import { wholeList } from '../../output/result.ts';
import { withAgentNames } from './agent-names.ts';
import { readAgents, readEntryPoints } from '../../routing/entry-points.ts';
import { ineffective } from '../../routing/ineffective.ts';
import { describeRule, nameOf } from '../../routing/words.ts';

const rule = { param: 'entryPointId', name: 'rule', summary: 'the id of a rule; `msgctl routing rules list` lists them' } as const;

/** Options for the settings of all rule types. The contract defines the settings as a record. */
const matchOptions: readonly OptionSpec[] = [
  { flags: '--keywords <words>', summary: 'the keywords of the rule, separated by commas', isList: true, parse: parseList },
  { flags: '--fuzzy-match', summary: 'keywords with typos match too (the default)' },
  { flags: '--no-fuzzy-match', summary: 'only exact keywords match' },
  { flags: '--post-ids <ids>', summary: 'only comments on these posts', isList: true, parse: parseList },
  { flags: '--delay-minutes <number>', summary: 'wait this many minutes before answering a comment', parse: parseInteger },
  { flags: '--reply-instructions <text>', summary: 'how to answer a comment or greet a follower' },
];

/** In an update, an empty text clears a list. */
const changedMatchOptions = matchOptions.map((option) =>
  option.isList ? { ...option, summary: `${option.summary}; '' clears it`, parse: orEmpty(parseList) } : option,
);

function matchConfigOf({ keywords, fuzzyMatch, postIds, delayMinutes, replyInstructions }: Options) {
  return definedFields({
    keywords,
    fuzzy_match: fuzzyMatch,
    post_ids: postIds,
    delay_minutes: delayMinutes,
    reply_instructions: replyInstructions,
  });
}

const fields = [
  'match_config',
  { field: 'enabled', negative: 'retire the rule' },
  'first_response_mode',
  'first_response_exact_text',
  'public_comment_reply_exact_text',
] as const;

const columns = ['id', 'type', 'agent_id', 'channels', 'match_config.keywords', 'enabled', 'first_response_exact_text', 'revision'];

/** Lists the rules of one agent, or of all agents. */
async function listRules(session: Session, [word]: readonly string[]) {
  const client = await session.targets.client();
  if (word !== undefined) {
    const { entry_points: rules } = await client.call(contract.listRules, {
      params: { agentId: await session.names.id(agentLookup, word) },
    });
    return wholeList('entry_points', rules);
  }
  const rules = await readEntryPoints(client, await readAgents(client));
  return wholeList(
    'entry_points',
    rules.filter(({ type }) => type !== 'channel_default'),
  );
}

/** @throws CliError 5 if there is no such rule */
async function askToDelete([id = '']: readonly string[], session: Session | null): Promise<string> {
  if (!session) return `Delete the rule ${id}?`;
  const client = await session.targets.client();
  const agents = await readAgents(client);
  const found = (await readEntryPoints(client, agents)).find((each) => each.id === id);
  if (!found) throw noRuleError(id);
  return `Delete the rule ${id}: ${describeRule(found)} on ${found.channels.join(', ')}, answered by ${nameOf(found.agent_id, agents)}?`;
}

/** Says which rule is missing. */
function explainMissingRule(error: unknown, _body: unknown, { values: [id = ''] }: Invocation): unknown {
  return error instanceof InterfaceError && error.reason === 'entry_point_not_found' ? noRuleError(id) : error;
}

function noRuleError(id: string): CliError {
  return new CliError(exitCodes.notFound, 'not_found', `There is no rule '${id}'`, { hint: '`msgctl routing rules list` lists them.' });
}

/** A verb that creates a rule. A note says what the rule will never do. */
function sayingWhatNeverHappens(verb: Verb): Verb {
  return {
    ...verb,
    run: async (session, values, options) => {
      const result = await verb.run(session, values, options);
      const { type, channels, firstResponseMode, firstResponseExactText } = options;
      const given = definedFields({
        type,
        channels,
        first_response_mode: firstResponseMode,
        first_response_exact_text: firstResponseExactText,
      });
      for (const sentence of ineffective({ ...session.input, ...given })) session.notes.say(sentence);
      return result;
    },
  };
}

/** A rule consists of its trigger, the channels that it applies to, and the agent that answers. */
export const ruleVerbs: readonly Verb[] = [
  withAgentNames({
    name: 'rules list',
    summary: 'List the rules of an agent, or of all agents, newest first, including retired ones',
    examples: [
      ['msgctl routing rules list', 'the rules of every agent'],
      ['msgctl routing rules list Ada -o json', 'everything that routes to one agent, including defaults'],
    ],
    arguments: [{ ...agentArgument, isOptional: true }],
    endpoint: contract.listRules,
    showsAnswer: true,
    shown: { rows: 'entry_points', columns },
    run: listRules,
  }),
  sayingWhatNeverHappens(
    callVerb({
      name: 'rules create',
      endpoint: contract.createRule,
      examples: [
        ['msgctl routing rules create Ada --channels chatapp --keywords menu,prices', 'route a first message by keyword'],
        [
          "msgctl routing rules create Ada --type photo_social_comment --channels photo_social --public-comment-reply-exact-text 'See your inbox'",
          'answer every comment',
        ],
      ],
      arguments: [agentArgument],
      fields: [{ field: 'type', default: 'keyword' }, 'channels', ...fields],
      options: matchOptions,
      body: (given, { options }) => {
        const config = { ...given.match_config, ...matchConfigOf(options) };
        return { ...given, ...(Object.keys(config).length > 0 && { match_config: config }) };
      },
      shown: { columns: ['entry_point_id'] },
    }),
  ),
  callVerb({
    name: 'rules update',
    endpoint: contract.updateRule,
    examples: [
      ['msgctl routing rules update ent_1 --keywords menu,prices,offers', 'settings you omit keep their value'],
      ['msgctl routing rules update ent_1 --no-enabled', 'retire a rule; it stays in the list'],
    ],
    arguments: [rule],
    fields: ['type', 'channels', ...fields],
    options: changedMatchOptions,
    body: (given, { options }) => {
      const settings = Object.entries(matchConfigOf(options)).map(([name, value]) => [`match_config.${name}`, value] as const);
      return { ...given, ...Object.fromEntries(settings) };
    },
    explain: explainMissingRule,
    shown: { columns: ['entry_point_id'] },
  }),
  callVerb({
    name: 'rules move',
    endpoint: contract.updateRule,
    summary: 'Give a rule to another agent',
    examples: [['msgctl routing rules move ent_1 Eve', 'conversations that have already begun keep their agent']],
    arguments: [rule, { field: 'agent_id', name: 'agent', summary: 'the id or the name of an agent', lookup: agentLookup }],
    explain: explainMissingRule,
    shown: { columns: ['entry_point_id'] },
    done: (_answer, [id, name]) => `${name} now answers messages that match the rule ${id}.`,
  }),
  callVerb({
    name: 'rules delete',
    endpoint: contract.deleteRule,
    examples: [['msgctl routing rules delete ent_1 --yes', 'skip the confirmation']],
    arguments: [rule],
    confirm: async ({ session, values }) => await askToDelete(values, session),
    explain: explainMissingRule,
    shown: { columns: [] },
    done: (_answer, [id]) => `Deleted the rule ${id}.`,
  }),
];
