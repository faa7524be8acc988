import { getSnapshot, listSnapshots } from '../../contract/areas/snapshots/endpoints.ts';
import { lookup } from '../verb/lookup.ts';

/** The snapshots of an agency by name. */
export const snapshotLookup = lookup(listSnapshots, 'snapshots', 'name', { get: getSnapshot });
