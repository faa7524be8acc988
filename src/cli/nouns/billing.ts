import * as contract from '../../contract/areas/billing/endpoints.ts';
import { toCliError } from '../explain.ts';
import { planLookup } from '../lookups/plans.ts';
import { callVerb } from '../verb/call-verb.ts';
import type { Noun, Verb } from '../verb/noun.ts';

/** Wraps the verb that changes the plan: with `--preview`, it says that nothing was changed. */
function notingPreview(verb: Verb): Verb {
  return {
    ...verb,
    run: async (session, values, options) => {
      const result = await verb.run(session, values, options);
      if ((options.preview ?? session.input.preview) === true) session.notes.say('Nothing was changed: this is what the change would do.');
      return result;
    },
  };
}

export const billing: Noun = {
  name: 'billing',
  verbs: [
    callVerb({
      name: 'plans',
      endpoint: contract.listPlans,
      examples: [['msgctl billing plans', 'the plans that the account can choose, the cheapest first']],
      shown: {
        rows: 'plans',
        columns: [
          'name',
          'price_usd',
          'monthly_credits',
          'plan.max_agents',
          'plan.key_requests_per_minute',
          'plan.account_requests_per_minute',
          'id',
        ],
      },
    }),
    callVerb({
      name: 'show',
      endpoint: contract.getSubscription,
      examples: [['msgctl billing show', 'the plan, and when its next credits come']],
      shown: { field: 'subscription', columns: ['plan_id', 'status', 'monthly_credits', 'renews_at', 'pending_plan_id'] },
    }),
    notingPreview(
      callVerb({
        name: 'change',
        endpoint: contract.changePlan,
        examples: [
          ['msgctl billing change growth', 'says what it costs now, which credits it adds and when it begins, and asks'],
          ['msgctl billing change starter --preview', 'only says it'],
          ['msgctl billing change growth --yes', 'in scripts'],
        ],
        arguments: [{ field: 'plan_id', name: 'plan', summary: 'the id or the name of a plan', lookup: planLookup }],
        fields: ['preview'],
        explain: (error) => {
          const refused = toCliError(error);
          const hint = 'Delete agents (`msgctl agents list` shows them), or choose a larger plan: `msgctl billing plans`.';
          return 'blocking' in (refused.details ?? {}) ? refused.with({ hint }) : error;
        },
        confirm: async (proposed) => await (await import('./billing/question.ts')).askToChange(proposed),
        shown: {
          columns: [
            'subscription.plan_id',
            'subscription.status',
            'price_now_usd',
            'credits_now',
            'effective_at',
            'subscription.monthly_credits',
            'subscription.renews_at',
            'subscription.pending_plan_id',
          ],
        },
      }),
    ),
  ],
};
