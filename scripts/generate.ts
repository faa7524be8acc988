import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { manPage } from '../src/cli/help/man-page.ts';
import { reference } from '../src/cli/help/reference.ts';
import { withTables } from './interface-tables.ts';

/** The width of the reference in columns. */
const referenceWidth = 120;

/** The manual page, which is built for the package and not committed. */
const manualPage = 'docs/msgctl.1';

/** The generated files that are committed, by path. A test checks that they are current. */
export async function committed(): Promise<Record<string, string>> {
  const commands = `<!-- Generated from the commands by \`npm run generate\`. Do not edit. -->\n\n${await reference(referenceWidth)}`;
  return {
    ...interfaceDocuments(),
    'docs/reference.md': commands,
    'src/service/areas/calendars/icalendar/windows-zones.json': `${JSON.stringify(windowsZones(), null, 2)}\n`,
  };
}

/** The documents of the interface with tables from the contract. */
function interfaceDocuments(): Record<string, string> {
  return Object.fromEntries(globSync('docs/interface/*.md').map((file) => [file, withTables(readFileSync(file, 'utf8'))]));
}

/**
 * The IANA zones of the names that Windows and Exchange have for time zones: the table of node-ical, which is made of CLDR's and of
 * the labels that Outlook shows.
 */
function windowsZones(): Record<string, string> {
  const table = JSON.parse(readFileSync('node_modules/node-ical/windowsZones.json', 'utf8')) as Record<string, { iana: [string] }>;
  return Object.fromEntries(Object.entries(table).map(([name, { iana }]) => [name, iana[0]]));
}

// Writes all files, or those that the arguments name.
if (import.meta.main) {
  const named = process.argv.slice(2);
  for (const [file, text] of Object.entries({ ...(await committed()), [manualPage]: await manPage() }))
    if (named.length === 0 || named.includes(file)) writeFileSync(new URL(`../${file}`, import.meta.url), text);
}
