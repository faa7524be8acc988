import type { getSnapshotJob } from '../../../contract/areas/snapshots/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';

/** What applying a snapshot did on an account, with its name. */
export type AppliedRow = Answer<typeof getSnapshotJob>['accounts'][number] & { readonly account: string };
