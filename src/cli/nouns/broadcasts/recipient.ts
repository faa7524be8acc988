import type { Answer } from '../../../contract/endpoint.ts';
import type { listRecipients } from '../../../contract/areas/broadcasts/endpoints.ts';

/** A recipient of a broadcast as the API returns it. */
export type Recipient = Answer<typeof listRecipients>['recipients'][number];
