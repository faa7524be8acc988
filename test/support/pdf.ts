/** A line of a page: its text, its position from the left and bottom in points, and its font size. */
export interface PdfLine {
  readonly text: string | Buffer;
  readonly y: number;
  readonly x?: number;
  readonly size?: number;
  /** The name of its font, Helvetica by default. */
  readonly font?: string;
  /** How far it is turned counterclockwise, in degrees. */
  readonly turn?: number;
}

interface PdfOptions {
  readonly title?: string;
  /** Additional entries of the pages, such as `/Rotate 90`, and their edges. */
  readonly page?: string;
  readonly edges?: readonly [number, number, number, number];
  /** Additional entries of the trailer, such as `/Encrypt 99 0 R`. */
  readonly trailer?: string;
  /** The numbers of the objects of additional fonts, by name. */
  readonly fonts?: Readonly<Record<string, number>>;
  /** Additional objects by number. */
  readonly objects?: Readonly<Record<number, string>>;
}

/** A PDF document with pages of text in Helvetica. */
export function pdf(
  pages: readonly (readonly PdfLine[])[],
  { title, page = '', edges = [0, 0, 595, 842], trailer = '', fonts = {}, objects = {} }: PdfOptions = {},
): Buffer {
  const parts = new Map<number, string>();
  const first = 10;
  const kids = pages.map((_, index) => `${first + index * 2} 0 R`);
  parts.set(1, '<< /Type /Catalog /Pages 2 0 R >>');
  parts.set(2, `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${pages.length} >>`);
  parts.set(3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>');
  parts.set(4, `<< ${title === undefined ? '' : `/Title (${escaped(title)})`} >>`);
  for (const [index, lines] of pages.entries()) {
    const number = first + index * 2;
    const content = lines
      .map(
        ({ text, x = 72, y, size = 11, font = 'F1', turn = 0 }) => `BT /${font} ${size} Tf ${matrix(turn, x, y)} Tm ${shown(text)} Tj ET`,
      )
      .join('\n');
    const named = Object.entries({ F1: 3, ...fonts }).map(([name, object]) => `/${name} ${object} 0 R`);
    const resources = `/Resources << /Font << ${named.join(' ')} >> >>`;
    parts.set(number, `<< /Type /Page /Parent 2 0 R ${page} /MediaBox [${edges.join(' ')}] ${resources} /Contents ${number + 1} 0 R >>`);
    parts.set(number + 1, `<< /Length ${Buffer.byteLength(content, 'latin1')} >>\nstream\n${content}\nendstream`);
  }
  for (const [number, object] of Object.entries(objects)) parts.set(Number(number), object);
  return written(parts, trailer);
}

function written(parts: ReadonlyMap<number, string>, trailer: string): Buffer {
  let text = '%PDF-1.4\n';
  const offsets = new Map<number, number>();
  for (const [number, object] of parts) {
    offsets.set(number, text.length);
    text += `${number} 0 obj\n${object}\nendobj\n`;
  }
  const size = Math.max(...parts.keys()) + 1;
  const table = Array.from({ length: size }, (_, number) => {
    const offset = offsets.get(number);
    return offset === undefined ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const start = text.length;
  text += `xref\n0 ${size}\n${table.join('')}trailer\n<< /Size ${size} /Root 1 0 R /Info 4 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

/** The matrix of text that is turned and begins at a point. */
function matrix(turn: number, x: number, y: number): string {
  const [cosine, sine] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)];
  return [cosine, sine, -sine, cosine, x, y].map((each) => each.toFixed(4)).join(' ');
}

function shown(text: string | Buffer): string {
  return typeof text === 'string' ? `(${escaped(text)})` : `<${text.toString('hex')}>`;
}

function escaped(text: string): string {
  return text.replace(/[\\()]/g, '\\$&');
}
