import mammoth from 'mammoth';
import type { ReadDocument } from '../document.ts';
import { readFragment } from '../html/read-page.ts';
import { titleFrom } from '../sections.ts';
import { openArchive } from './archive.ts';
import { struckStyles, withStruckMarked } from './struck-runs.ts';

/** The parts of a document whose text is read. */
const textParts = /^word\/(document|footnotes|endnotes)\d*\.xml$/;

/** Reads a Word document. @throws Unreadable */
export async function readDocx(bytes: Buffer): Promise<ReadDocument> {
  const parts = await openArchive(bytes);
  const styles = struckStyles(parts.get('word/styles.xml')?.toString() ?? '');
  for (const [name, part] of parts) if (textParts.test(name)) parts.set(name, Buffer.from(withStruckMarked(part.toString(), styles)));
  // Without this converter, mammoth would embed each picture as a data URL.
  const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
  const { value } = await mammoth.convertToHtml(archiveOf(parts), { convertImage, styleMap: ["p[style-name='Title'] => h1:fresh"] });
  const sections = readFragment(value);
  return { title: titleFrom(sections[0]?.headings[0] ?? ''), sections, faqs: [] };
}

/** The parts as an archive that the library reads. Its types lack this form of its input. */
function archiveOf(parts: ReadonlyMap<string, Buffer>): Parameters<typeof mammoth.convertToHtml>[0] {
  const file = {
    exists: (name: string) => parts.has(name),
    read: async (name: string, encoding?: BufferEncoding) => {
      const part = parts.get(name) ?? Buffer.alloc(0);
      return encoding === undefined ? part : part.toString(encoding);
    },
  };
  return { file } as unknown as Parameters<typeof mammoth.convertToHtml>[0];
}
