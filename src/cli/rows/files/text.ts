import { mayBeCharacterSet } from '../../../contract/text/character-sets.ts';
import { markedEncoding } from '../../../contract/text/plain-text.ts';
import { invalidValueError } from '../../invalid-value.ts';
import { didYouMean } from '../../did-you-mean.ts';
import { commonEncodings } from './encodings.ts';
import { isAscii, isUtf8 } from 'node:buffer';
import { malformedError } from './source.ts';

/** Maximum number of bytes to examine, starting at the first non-ASCII character, to distinguish UTF-8 from Windows-1252. */
const examinedBytes = 1024 * 1024;

/** The display names of the encodings that can be detected. */
const names: Readonly<Record<string, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 (little-endian)',
  'utf-16be': 'UTF-16 (big-endian)',
  'windows-1252': 'Windows-1252',
};

/** Decodes bytes to text. */
interface Decoder {
  write(bytes: Buffer): string;
  end(): string;
}

/** The text of a file. The encoding is detected while reading. */
export class FileText {
  readonly #chunks: AsyncIterable<Buffer>;
  #encoding: string | undefined;

  /** @param encoding the encoding; by default, it is detected */
  private constructor(chunks: AsyncIterable<Buffer>, encoding: string | undefined) {
    this.#chunks = chunks;
    this.#encoding = encoding;
  }

  /**
   * @param head the first bytes of the file
   * @param chunks all bytes of the file
   * @param named the encoding given by the user, if any
   * @throws CliError 2 if that encoding is unknown
   */
  static async open(head: Buffer, chunks: AsyncIterable<Buffer>, named: string | undefined): Promise<FileText> {
    if (named !== undefined && !(await isKnown(named)))
      throw invalidValueError(
        '--encoding',
        named,
        'must be an encoding, such as utf-8, utf-16le, windows-1252, iso-8859-15, macintosh or cp850',
        didYouMean(named, commonEncodings),
      );
    return new FileText(chunks, named ?? markedEncoding(head) ?? patternEncoding(head));
  }

  /** The name of the encoding, as far as it has been detected; ASCII counts as UTF-8. */
  get encoding(): string {
    const encoding = this.#encoding ?? 'utf-8';
    return names[encoding] ?? encoding;
  }

  /** @throws CliError 1 if the text is not valid UTF-8, although that was given or detected */
  async *read(): AsyncGenerator<string> {
    let decoder: Decoder | undefined = this.#encoding === undefined ? undefined : await decoderOf(this.#encoding);
    /** Buffered bytes whose encoding is not known yet. */
    let examined: Buffer[] = [];
    let size = 0;
    for await (const chunk of this.#chunks) {
      if (decoder) yield decoder.write(chunk);
      else if (examined.length === 0 && isAscii(chunk)) yield chunk.toString('latin1');
      else {
        examined.push(chunk);
        size += chunk.length;
        if (size < examinedBytes) continue;
        decoder = await this.#detect(withoutCutCharacter(Buffer.concat(examined)));
        yield decoder.write(Buffer.concat(examined));
        examined = [];
      }
    }
    if (examined.length > 0) {
      decoder = await this.#detect(Buffer.concat(examined));
      yield decoder.write(Buffer.concat(examined));
    }
    if (decoder) yield decoder.end();
  }

  async #detect(examined: Buffer): Promise<Decoder> {
    this.#encoding = isUtf8(examined) ? 'utf-8' : 'windows-1252';
    return await decoderOf(this.#encoding);
  }
}

/** Detects UTF-16 without a byte order mark: every other byte of ASCII characters is zero. */
function patternEncoding(head: Buffer): string | undefined {
  const zeros = [0, 0];
  for (const [index, byte] of head.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (even + odd < head.length / 20) return undefined;
  if (odd > 9 * even) return 'utf-16le';
  return even > 9 * odd ? 'utf-16be' : undefined;
}

/** Removes an incomplete character at the end of bytes. */
function withoutCutCharacter(bytes: Buffer): Buffer {
  const last = bytes.subarray(-3).findLastIndex((byte) => byte >= 0xc0);
  if (last < 0) return bytes;
  const at = Math.max(0, bytes.length - 3) + last;
  const byte = bytes[at] ?? 0;
  const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
  const isCut = at + length > bytes.length && bytes.subarray(at + 1).every((following) => following >= 0x80);
  return isCut ? bytes.subarray(0, at) : bytes;
}

function isUtf8Name(name: string): boolean {
  return /^utf-?8$/i.test(name);
}

async function isKnown(encoding: string): Promise<boolean> {
  return isUtf8Name(encoding) || (mayBeCharacterSet(encoding) && (await loadIconv()).encodingExists(encoding));
}

async function loadIconv() {
  return (await import('iconv-lite')).default;
}

/** The decoder of an encoding. All of them leave out a byte order mark. */
async function decoderOf(encoding: string): Promise<Decoder> {
  if (isUtf8Name(encoding)) return utf8Decoder();
  const decoder = (await loadIconv()).getDecoder(encoding);
  // The high half of a surrogate pair that the library returned without the other half.
  let half = '';
  const whole = (text: string) => {
    const joined = half + text;
    half = /[\ud800-\udbff]$/.exec(joined)?.[0] ?? '';
    return joined.slice(0, joined.length - half.length);
  };
  return { write: (bytes) => whole(decoder.write(bytes)), end: () => half + (decoder.end() ?? '') };
}

function utf8Decoder(): Decoder {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes: Buffer | undefined) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw malformedError('The file is not all in UTF-8', 'Name its encoding, for example --encoding windows-1252, or save it as UTF-8.');
    }
  };
  return { write: decode, end: () => decode(undefined) };
}
