/** The formats of documents that can be imported, as file name extensions. */
export const documentFormats = ['pdf', 'docx', 'txt', 'md', 'csv', 'xlsx'] as const;

type Format = (typeof documentFormats)[number];

/** The media types of documents. */
export const mediaTypes: Readonly<Record<Format, string>> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** The file name extensions of documents, for messages: `.pdf, .docx or .txt`. */
export const documentEndings = documentFormats
  .map((format) => `.${format}`)
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' or ');

/** The format of a document by its file name extension; undefined when the format cannot be read. */
export function formatOfName(name: string): Format | undefined {
  const ending = /\.([a-z]+)$/i.exec(name.trim())?.[1]?.toLowerCase();
  return documentFormats.find((each) => each === ending);
}
