import { commonEncodings } from './files/encodings.ts';
import type { OptionSpec } from '../verb/noun.ts';
import { parseCount, parseRepeated } from '../verb/values.ts';

/**
 * The option that assigns a column to a field.
 * @param examples some fields, such as `phone_number, email or tags`
 */
export function mapOption(examples: string): OptionSpec {
  return {
    flags: '--map <header=field>',
    summary: `the column that holds a field, such as ${examples}; can be repeated; if a field has several columns, the first cell that is not empty counts`,
    parse: parseRepeated,
  };
}

/**
 * The options of all imports from files.
 * @param formats the supported formats
 */
export function importOptions(formats: readonly string[]): OptionSpec[] {
  return [
    { flags: '--format <format>', summary: 'the format of the file; detected from its name and content by default', choices: formats },
    {
      flags: '--encoding <name>',
      summary: 'the encoding of the text, such as windows-1252; detected by default',
      completes: commonEncodings,
    },
    { flags: '--sheet <sheet>', summary: 'the sheet of a workbook, by name or number (default: the first visible one)' },
    {
      flags: '--rejects <file>',
      summary: 'write rejected rows and the reasons to this file, as CSV for .xlsx; --yes overwrites it, --from-row appends',
      completes: 'file',
    },
    { flags: '--from-row <number>', summary: 'start at this row; the first row is 1', parse: parseCount },
    { flags: '--dry-run', summary: 'check each row without importing anything; exits 8 when rows would be rejected' },
  ];
}
