import { zip } from './workbook.ts';

const main = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';

const heading = (level: number) => `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`;

/** The files of a Word document. @param body the content, as XML */
export function docxFiles(body: string): Record<string, string> {
  const xml = (text: string) => `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${text}`;
  const types = `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>`;
  const styles = `<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style>${[1, 2, 3].map(heading).join('')}`;
  const numbering = `<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`;
  return {
    '[Content_Types].xml': xml(`<Types xmlns="${packages}/content-types">${types}</Types>`),
    '_rels/.rels': xml(
      `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="word/document.xml"/></Relationships>`,
    ),
    'word/_rels/document.xml.rels': xml(
      `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relations}/styles" Target="styles.xml"/><Relationship Id="rId2" Type="${relations}/numbering" Target="numbering.xml"/></Relationships>`,
    ),
    'word/styles.xml': xml(`<w:styles xmlns:w="${main}">${styles}</w:styles>`),
    'word/numbering.xml': xml(`<w:numbering xmlns:w="${main}">${numbering}</w:numbering>`),
    'word/document.xml': xml(`<w:document xmlns:w="${main}"><w:body>${body}</w:body></w:document>`),
  };
}

/** A Word document. @param body the content, as XML */
export function docx(body: string): Buffer {
  return zip(docxFiles(body));
}

/** A paragraph. @param style such as `Heading1` */
export function paragraph(text: string, style?: string): string {
  const properties = style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}

/** An item of a list with bullets. */
export function item(text: string): string {
  return `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
}

/** A table. */
export function table(rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[]) => row.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('');
  return `<w:tbl>${rows.map((row) => `<w:tr>${cells(row)}</w:tr>`).join('')}</w:tbl>`;
}
