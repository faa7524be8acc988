import { listTags } from '../../contract/areas/tags/endpoints.ts';
import { fold } from '../../contract/text/fold.ts';
import { lookup } from '../verb/lookup.ts';

/** Tags by name, case-insensitive. */
export const tagLookup = lookup(listTags, 'tags', 'name', { folded: fold });
