declare module '../../jobs/job.ts' {
  interface JobPayloads {
    /** When the period begins, in epoch milliseconds. A job that failed falls due later. */
    plan_renewal: { readonly renewsAt: number };
  }
}

/** The job that begins a period of the plan of an account. @param renewsAt when the period begins */
export function renewalJob(accountId: string, renewsAt: number) {
  return { kind: 'plan_renewal', accountId, payload: { renewsAt }, dueAt: renewsAt } as const;
}
