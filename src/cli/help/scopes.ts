import { schemaOf } from '../../contract/endpoint.ts';
import { permissions } from '../../contract/permissions.ts';
import { plan } from '../../contract/plan.ts';
import { sections } from '../../contract/sections.ts';

/** The names of sections, permissions and plan fields. */
export function scopesText(): string {
  return `Scopes

Sections, for \`msgctl keys create --section\` (in any case; \`all\` for every section; only main keys have API Keys):
${wrap(sections)}

Permissions of a team member:
${wrap(permissions)}

Fields of a plan, for \`msgctl sandbox accounts update --plan\`:
${wrap(Object.keys(schemaOf(plan).shape))}
`;
}

/** Wraps names into lines of readable length. */
function wrap(names: readonly string[]): string {
  const lines: string[] = [];
  for (const name of names) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + name.length < 100) lines[lines.length - 1] = `${last}, ${name}`;
    else lines.push(`  ${name}`);
  }
  return lines.join(',\n');
}
