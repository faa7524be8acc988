/** The encodings that errors and completion name. Others are known too. */
export const commonEncodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'macintosh', 'cp850'];
