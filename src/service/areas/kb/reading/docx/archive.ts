import yauzl from 'yauzl';
import { Unreadable } from '../document.ts';

/** The maximum decompressed size of a document, in bytes. A small archive can expand to any size. */
const unpackedBytes = 64 * 1024 * 1024;

/** Unpacks a Word document. @returns its parts by name, without pictures @throws Unreadable */
export async function openArchive(bytes: Buffer): Promise<Map<string, Buffer>> {
  try {
    const parts = await unpack(bytes);
    if (![...parts.keys()].some((name) => /^word\/document\d*\.xml$/.test(name)))
      throw new Unreadable('The file is not a Word document: save it as .docx');
    return parts;
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable('The file is damaged, protected by a password, or not a Word document: save it again as .docx', { cause: error });
  }
}

async function unpack(bytes: Buffer): Promise<Map<string, Buffer>> {
  const zip = await yauzl.fromBufferPromise(bytes, { lazyEntries: true, autoClose: false });
  const parts = new Map<string, Buffer>();
  let unpacked = 0;
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      unpacked += chunk.length;
      if (unpacked > unpackedBytes)
        throw new Unreadable('The document unpacks to more than 64 MiB: split it into smaller ones', { code: 'too_large' });
      chunks.push(chunk);
    }
    if (!entry.fileName.startsWith('word/media/')) parts.set(entry.fileName, Buffer.concat(chunks));
  }
  return parts;
}
