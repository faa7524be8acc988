import type { Handlers } from './http/endpoint-group.ts';
import type { PublicRoute } from './http/public-routes.ts';
import type { JobDefinitions } from './jobs/job.ts';
import type { AccountRows } from './maintenance/deleting-accounts.ts';
import type { Retention } from './maintenance/retention.ts';
import type { MaintenanceTask } from './maintenance/task.ts';

/** What an area adds to the service. */
export interface Area {
  readonly handlers?: Partial<Handlers>;
  readonly jobs?: Partial<JobDefinitions>;
  /** The places at which a drill can kill the process. */
  readonly failpoints?: readonly string[];
  /** The tables that can have many rows of an account, in the order in which maintenance deletes those of a deleted account. */
  readonly rows?: readonly AccountRows[];
  /** Deletes expired records. @returns null when they are kept forever */
  readonly trimming?: (retention: Retention) => MaintenanceTask | readonly MaintenanceTask[] | null;
  /** Its pages, and what they ask for. */
  readonly publicRoutes?: readonly PublicRoute[];
  /** Other work in the background. */
  readonly maintenance?: readonly MaintenanceTask[];
}
