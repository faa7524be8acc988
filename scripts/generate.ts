import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { manFiles, manPages } from '../src/cli/help/man-page.ts';
import { reference } from '../src/cli/help/reference.ts';
import { withTables } from './interface-tables.ts';

/** The width of the reference in columns. */
const referenceWidth = 120;

/** The folder of the manual pages, which are built for the package and not committed. */
const manFolder = 'docs/man';

/** The generated files that are committed, by path. A test checks that they are current. */
export async function committed(): Promise<Record<string, string>> {
  const commands = `<!-- Generated from the commands by \`npm run generate\`. Do not edit. -->\n\n${await reference(referenceWidth)}`;
  return {
    ...interfaceDocuments(),
    'package.json': withManPages(readFileSync('package.json', 'utf8')),
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

/** The package with a list of its manual pages, for npm, which links them. */
function withManPages(text: string): string {
  const man = manFiles.map((file) => `${manFolder}/${file}`);
  return `${JSON.stringify({ ...(JSON.parse(text) as object), man }, null, 2)}\n`;
}

/** Writes the manual pages. */
async function writeManPages(): Promise<void> {
  // Without pages of commands that are gone.
  rmSync(manFolder, { recursive: true, force: true });
  mkdirSync(manFolder, { recursive: true });
  for (const [file, text] of Object.entries(await manPages())) writeFileSync(`${manFolder}/${file}`, text);
}

// Writes all files, or the manual pages alone.
if (import.meta.main) {
  process.chdir(fileURLToPath(new URL('..', import.meta.url)));
  await writeManPages();
  if (process.argv[2] !== 'man') for (const [file, text] of Object.entries(await committed())) writeFileSync(file, text);
}
