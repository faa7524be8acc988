import { format, isDateFormat } from 'numfmt';
import type { Parts } from './parts.ts';
import { isOn } from './strings.ts';
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

/** How a cell shows its value. */
export interface CellStyle {
  /** The format of numbers. */
  readonly format: string;
  /** Whether its font strikes out. */
  readonly isStruck: boolean;
}

/** Reads the styles of cells. */
export async function readStyles(parts: Parts, part: string | undefined): Promise<CellStyle[]> {
  const own = new Map<number, string>();
  /** Whether each font strikes out. */
  const fonts: boolean[] = [];
  const styles: CellStyle[] = [];
  if (part === undefined) return styles;
  let list = '';
  await parseXml(parts.text(part, { isHeld: true }), {
    open(name, attributes) {
      const { numFmtId, formatCode = '', fontId = '0' } = attributes;
      const id = Number(numFmtId ?? 0);
      if (/^(fonts|cellXfs|cellStyleXfs|dxfs)$/.test(name)) list = name;
      if (name === 'numFmt') own.set(id, formatCode);
      if (name === 'font' && list === 'fonts') fonts.push(false);
      if (name === 'strike' && list === 'fonts') fonts[fonts.length - 1] = isOn(attributes);
      if (name === 'xf' && list === 'cellXfs')
        styles.push({ format: own.get(id) ?? builtIn[id] ?? 'General', isStruck: fonts[Number(fontId)] ?? false });
    },
    close(name) {
      if (name === list) list = '';
    },
  });
  return styles;
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
