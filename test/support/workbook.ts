import { crc32, deflateRawSync } from 'node:zlib';

/** A file in an archive. The size declared in the archive can be wrong. */
interface Entry {
  readonly content: string;
  readonly declaredSize?: number;
}

/** A ZIP archive. */
export function zip(files: Readonly<Record<string, string | Entry>>): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, file] of Object.entries(files)) {
    const { content, declaredSize } = typeof file === 'string' ? { content: file, declaredSize: undefined } : file;
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const path = Buffer.from(name);
    // Version, flags, method, time and date; then the checksum and the sizes.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(declaredSize ?? bytes.length, 18);
    common.writeUInt16LE(path.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const body = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, path, packed]);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002'), Buffer.from([20, 0]), common, place, path]));
    bodies.push(body);
    offset += body.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(bodies.length, 4);
  end.writeUInt16LE(bodies.length, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, ...directory, Buffer.from('PK\u0005\u0006'), end]);
}

interface WorkbookParts {
  /** The rows of the first sheet, as XML. */
  readonly rows: string;
  /** The rows of the second sheet; by default, none. */
  readonly secondRows?: string;
  /** The shared strings, to which cells of type `s` refer, as XML. */
  readonly strings?: readonly string[];
  /** The number formats of the cell styles: a pattern, or the number of a built-in format. */
  readonly formats?: readonly (string | number)[];
  /** Attributes of `workbookPr`. */
  readonly properties?: string;
  /** The `sheet` elements; the first sheet is `rId1`, the second one `rId4`. */
  readonly sheets?: string;
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** The files of an Excel workbook. */
export function workbookFiles(parts: WorkbookParts): Record<string, string> {
  const {
    rows,
    secondRows = '',
    strings = [],
    formats = [],
    properties = '',
    sheets = '<sheet name="People" sheetId="1" r:id="rId1"/>',
  } = parts;
  const xml = (body: string) => `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${body}`;
  const relation = (id: number, type: string, target: string) =>
    `<Relationship Id="rId${id}" Type="${relations}/${type}" Target="${target}"/>`;
  const relationList = (...list: string[]) =>
    xml(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list.join('')}</Relationships>`);
  const own = formats.flatMap((format, index) =>
    typeof format === 'string' ? [`<numFmt numFmtId="${164 + index}" formatCode="${escaped(format)}"/>`] : [],
  );
  const styles = formats.map((format, index) => `<xf numFmtId="${typeof format === 'number' ? format : 164 + index}"/>`);
  return {
    '_rels/.rels': relationList(relation(1, 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': xml(
      `<workbook xmlns="${main}" xmlns:r="${relations}"><workbookPr ${properties}/><sheets>${sheets}</sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': relationList(
      relation(1, 'worksheet', 'worksheets/sheet1.xml'),
      relation(2, 'sharedStrings', 'sharedStrings.xml'),
      relation(3, 'styles', '/xl/styles.xml'),
      relation(4, 'worksheet', 'worksheets/sheet2.xml'),
    ),
    'xl/worksheets/sheet1.xml': xml(`<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`),
    'xl/worksheets/sheet2.xml': xml(`<worksheet xmlns="${main}"><sheetData>${secondRows}</sheetData></worksheet>`),
    'xl/sharedStrings.xml': xml(`<sst xmlns="${main}">${strings.map((text) => `<si>${text}</si>`).join('')}</sst>`),
    'xl/styles.xml': xml(
      `<styleSheet xmlns="${main}"><numFmts>${own.join('')}</numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs>${styles.join('')}</cellXfs></styleSheet>`,
    ),
  };
}

/** An Excel workbook. */
export function workbook(parts: WorkbookParts): Buffer {
  return zip(workbookFiles(parts));
}
