/** The formats of the documents that can be imported, by their endings. */
export const documentFormats = ['pdf', 'docx', 'txt', 'md', 'csv', 'xlsx'] as const;
