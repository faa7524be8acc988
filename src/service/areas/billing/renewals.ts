import type { JobDefinition } from '../../jobs/job.ts';
import { finishOnAccount } from '../activity/account-job.ts';
import { countAgents } from '../agents/records.ts';
import { readSubscription, saveSubscription } from './records.ts';
import { renew, renewsAt } from './rules.ts';

/** After a period began and the job of the next was queued, before both are committed. */
export const renewalFailpoints = ['renewal.ending'] as const;

declare module '../../drills/failpoint.ts' {
  interface FailpointNames {
    renewals: (typeof renewalFailpoints)[number];
  }
}

/**
 * Begins one period and queues the job of the next, so that late ones are made up one after the other. A period that a change of the
 * plan has already begun has another job.
 */
export const renewPlan: JobDefinition<'plan_renewal'> = {
  run: async ({ accountId, payload }, { failpoint }) =>
    finishOnAccount(accountId, async (db, journal) => {
      const { id } = journal.account;
      const subscription = await readSubscription(db, id);
      if (renewsAt(subscription) !== payload.renewsAt) return;
      await saveSubscription(db, journal, subscription, [renew(subscription, await countAgents(db, id))]);
      failpoint('renewal.ending');
    }),
};
