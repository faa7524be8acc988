import { schemaOf } from '../../contract/endpoint.ts';
import { permissions } from '../../contract/permissions.ts';
import { plan } from '../../contract/plan.ts';
import { sections } from '../../contract/sections.ts';
import { sizes } from '../../contract/sizes.ts';
import type { Block } from './layout.ts';

/** The names of sections, permissions and plan fields, and the sizes of records. */
export function scopes(): Block[] {
  return [
    'Sections, for `msgctl keys create --section` (upper or lower case; `all` for every section; only main keys have API Keys):',
    names(sections),
    'Permissions of a team member:',
    names(permissions),
    'Fields of a plan, for `msgctl sandbox accounts update --plan`:',
    names(Object.keys(schemaOf(plan).shape)),
    'Size limits of records (a request beyond a limit is refused, and nothing is changed):',
    Object.entries(sizes).map(([record, most]) => [record, most.join(', ')] as const),
  ];
}

function names(all: readonly string[]): Block {
  return [['', all.join(', ')]];
}
