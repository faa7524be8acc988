/** How the content of each type of file begins. A dot stands for any byte. */
const beginnings: readonly (readonly [string, RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1A\n/],
  ['image/jpeg', /^\xFF\xD8\xFF/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
  ['application/pdf', /^%PDF-/],
  // An ID3 tag, or the header of a frame of layer III.
  ['audio/mpeg', /^(?:ID3|\xFF[\xE2\xE3\xF2\xF3\xFA\xFB])/],
  ['audio/ogg', /^OggS/],
  ['audio/wav', /^RIFF[^]{4}WAVE/],
];

/** The type of a file, by its content; undefined for one that agents cannot send (rule media.2). */
export function mediaType(content: Uint8Array): string | undefined {
  const beginning = Buffer.from(content.subarray(0, 16)).toString('latin1');
  return beginnings.find(([, pattern]) => pattern.test(beginning))?.[0];
}
