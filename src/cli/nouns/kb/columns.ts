/** The columns of pages found on a website. */
export const pageColumns: readonly string[] = ['score', 'recommendation', 'url', 'title', 'depth', 'reason_key'];

/** The columns of an estimate. */
export const estimateColumns = ['ref', 'chunks', 'credits', 'error', 'present'] as const;

/** The columns of queued sources. The last ones are only known with --wait. */
export const importColumns = ['source_id', 'ref', 'status', 'error_message', 'faq_count', 'section_count'] as const;

/** The same columns in the order for tables. */
export const importTable = ['ref', 'status', 'error_message', 'faq_count', 'source_id', 'section_count'] as const;
