import { getGroup, listGroups } from '../../contract/areas/groups/endpoints.ts';
import { fold } from '../../contract/text/fold.ts';
import { lookup } from '../verb/lookup.ts';

/** Knowledge groups by name, case-insensitive. */
export const groupLookup = lookup(listGroups, 'kb_groups', 'name', {
  what: 'group',
  get: getGroup,
  folded: fold,
  listedBy: 'kb groups list',
});
