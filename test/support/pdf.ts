/** A line of a page: the size of its letters in points, and its text. */
type Line = readonly [size: number, text: string];

/** A PDF document. @param pages the lines of each page, from the top */
export function pdf(pages: readonly (readonly Line[])[]): Buffer {
  const objects: string[] = ['<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'];
  const tree = 2 + 2 * pages.length;
  const kids = pages.map((lines) => {
    let y = 800;
    const content = lines.map(([size, text]) => {
      y -= size * 1.5;
      return `BT /F1 ${size} Tf 60 ${y} Td (${text.replace(/[\\()]/g, '\\$&')}) Tj ET`;
    });
    const stream = content.join('\n');
    objects.push(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
    const resources = '/Resources << /Font << /F1 1 0 R >> >>';
    objects.push(`<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 595 842] /Contents ${objects.length} 0 R ${resources} >>`);
    return `${objects.length} 0 R`;
  });
  objects.push(`<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(' ')}] >>`, `<< /Type /Catalog /Pages ${tree} 0 R >>`);
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  return Buffer.from(
    `${text}${table}trailer << /Size ${objects.length + 1} /Root ${objects.length} 0 R >>\nstartxref\n${text.length}\n%%EOF`,
    'latin1',
  );
}
