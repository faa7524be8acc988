import type { Failpoint } from './drills/failpoint.ts';
import type { StepScheduler } from './flow/steps.ts';
import type { Outbound } from './network/outbound.ts';
import type { Store } from './store/store.ts';

/**
 * The parts of a running service that handlers and jobs share. Areas add their own: `declare module '…/parts.ts' { interface Parts {
 * crawling: LazyCrawlers } }`.
 */
export interface Parts {
  readonly version: string;
  /** The address in the links of public pages, without a final slash. */
  readonly publicUrl: string;
  readonly store: Store;
  /** Schedules the steps of long work. */
  readonly scheduler: StepScheduler;
  /** Real time, in epoch milliseconds. Handlers use the context's `now` for the times of records. */
  readonly realNow: () => number;
  readonly failpoint: Failpoint;
  /** Calls addresses that users enter. */
  readonly outbound: Outbound;
}
