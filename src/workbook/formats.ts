import { format, isDateFormat } from 'numfmt';
import type { Parts } from './parts.ts';
import { parseXml } from './xml.ts';

/** The formats that workbooks refer to only by number (ECMA-376, 18.8.30). All others are spelled out in the workbook. */
const builtIn: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'm/d/yyyy',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'm/d/yyyy h:mm',
  37: '#,##0 ;(#,##0)',
  38: '#,##0 ;[Red](#,##0)',
  39: '#,##0.00;(#,##0.00)',
  40: '#,##0.00;[Red](#,##0.00)',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mmss.0',
  48: '##0.0E+0',
  49: '@',
};

/** The number of days from 1900 to 1904 as Excel counts them. */
const daysBefore1904 = 1_462;

/** Reads the number format of each cell style. */
export async function readFormats(parts: Parts, part: string | undefined): Promise<string[]> {
  const own = new Map<number, string>();
  const formats: string[] = [];
  if (part === undefined) return formats;
  let isOfCells = false;
  await parseXml(parts.text(part, { isHeld: true }), {
    open(name, { numFmtId, formatCode = '' }) {
      const id = Number(numFmtId ?? 0);
      if (name === 'cellXfs') isOfCells = true;
      if (name === 'numFmt') own.set(id, formatCode);
      if (name === 'xf' && isOfCells) formats.push(own.get(id) ?? builtIn[id] ?? 'General');
    },
    close(name) {
      if (name === 'cellXfs') isOfCells = false;
    },
  });
  return formats;
}

/**
 * Formats a number as its cell shows it. In the format General, Excel abbreviates numbers of 12 or more digits (4.91512E+12).
 * Here, integers keep all digits, because they can be phone numbers.
 */
export function shownNumber(text: string, pattern: string, countsFrom1904: boolean): string {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) return text;
  if (Number.isInteger(number) && /^(General|@)$/i.test(pattern)) return String(number);
  try {
    return format(pattern, countsFrom1904 && isDateFormat(pattern) ? number + daysBefore1904 : number, { nbsp: false });
  } catch {
    // The format is invalid; Excel does not write such formats.
    return String(number);
  }
}
