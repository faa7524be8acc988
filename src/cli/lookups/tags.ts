import { listTags } from '../../contract/areas/tags/endpoints.ts';
import { fold } from '../../contract/fold.ts';
import { lookup } from '../command/lookup.ts';

/** Tags by name, case-insensitive. */
export const tagLookup = lookup(listTags, 'tags', 'name', { folded: fold });
