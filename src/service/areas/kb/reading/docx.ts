import mammoth from 'mammoth';
import yauzl from 'yauzl';
import { type ReadDocument, Unreadable } from './document.ts';
import { readFragment } from './html.ts';
import { titleFrom } from './sections.ts';

/** The maximum decompressed size of a document, in bytes. A small archive can expand to any size. */
const unpackedBytes = 64 * 1024 * 1024;

/** Reads a Word document. @throws Unreadable */
export async function readDocx(bytes: Buffer): Promise<ReadDocument> {
  await checkArchive(bytes);
  // Without this converter, mammoth would embed each picture as a data URL.
  const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
  const { value } = await mammoth.convertToHtml({ buffer: bytes }, { convertImage, styleMap: ["p[style-name='Title'] => h1:fresh"] });
  const sections = readFragment(value, null);
  return { title: titleFrom(sections[0]?.headings[0] ?? ''), sections, faqs: [] };
}

/** Decompresses the archive to check its size, before the library loads all of it. */
async function checkArchive(bytes: Buffer): Promise<void> {
  try {
    const zip = await yauzl.fromBufferPromise(bytes, { lazyEntries: true, autoClose: false });
    let unpacked = 0;
    let isWord = false;
    for await (const entry of zip.eachEntry()) {
      isWord ||= entry.fileName === 'word/document.xml';
      const stream = await zip.openReadStreamPromise(entry);
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        unpacked += chunk.length;
        if (unpacked > unpackedBytes) throw new Unreadable('The document unpacks to more than 64 MiB: split it into smaller ones');
      }
    }
    if (!isWord) throw new Unreadable('The file is not a Word document: save it as .docx');
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable('The file is damaged, protected by a password, or not a Word document: save it again as .docx', { cause: error });
  }
}
