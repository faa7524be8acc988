import { posix } from 'node:path';
import { WorkbookError } from './error.ts';
import type { Parts } from './parts.ts';
import { parseXml } from './xml.ts';

/** The parts of a workbook. */
interface Contents {
  /** The sheets that are tables, in order. */
  readonly sheets: readonly { readonly name: string; readonly part: string; readonly isHidden: boolean }[];
  /** The number of sheets, including hidden ones and those that are not tables, such as charts. */
  readonly sheetCount: number;
  readonly strings: string | undefined;
  readonly styles: string | undefined;
  /** Whether dates are counted from 1904 instead of 1900. */
  readonly countsFrom1904: boolean;
}

/** A reference from one part to another. */
interface Relation {
  readonly id: string;
  /** The last segment of its type, such as `worksheet` or `sharedStrings`. */
  readonly type: string;
  readonly part: string;
}

interface SheetEntry {
  readonly name: string;
  readonly relation: string;
  readonly isHidden: boolean;
}

/**
 * Finds the sheets and the parts that their cells refer to.
 * @throws WorkbookError if the file is not a workbook
 */
export async function readContents(parts: Parts): Promise<Contents> {
  const [main] = (await readRelations(parts, '')).filter(({ type }) => type === 'officeDocument');
  if (!main) throw new WorkbookError('The file is not an Excel workbook', 'Save it as .xlsx or CSV.');
  const relations = await readRelations(parts, main.part);
  const sheets: SheetEntry[] = [];
  let countsFrom1904 = false;
  await parseXml(parts.text(main.part, { isHeld: true }), {
    open(name, attributes) {
      if (name === 'workbookPr') countsFrom1904 = /^(1|true)$/.test(attributes.date1904 ?? '');
      if (name !== 'sheet') return;
      const relation = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? '';
      sheets.push({ name: attributes.name ?? '', relation, isHidden: /^(very)?hidden$/i.test(attributes.state ?? '') });
    },
  });
  const tables = sheets.flatMap(({ name, relation, isHidden }) => {
    const part = relations.find(({ id, type }) => id === relation && type === 'worksheet')?.part;
    return part === undefined ? [] : [{ name, part, isHidden }];
  });
  return {
    sheets: tables,
    sheetCount: sheets.length,
    strings: relations.find(({ type }) => type === 'sharedStrings')?.part,
    styles: relations.find(({ type }) => type === 'styles')?.part,
    countsFrom1904,
  };
}

/** The relations of a part; those of the whole workbook if the part is empty. */
async function readRelations(parts: Parts, part: string): Promise<Relation[]> {
  const folder = posix.dirname(part);
  const relations: Relation[] = [];
  await parseXml(parts.text(posix.join(folder, '_rels', `${posix.basename(part)}.rels`), { isHeld: true }), {
    open(name, { Id: id = '', Type: type = '', Target: target = '' }) {
      if (name !== 'Relationship') return;
      const found = target.startsWith('/') ? target.slice(1) : posix.join(folder, target);
      relations.push({ id, type: posix.basename(type), part: found });
    },
  });
  return relations;
}
