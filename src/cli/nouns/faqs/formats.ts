/** The formats of an export, all of which can be imported. */
export const exportFormats = ['csv', 'json', 'ndjson', 'yaml', 'md'] as const;

/** The columns of CSV: those that an import reads, and the id, which can be used to reorder FAQs. */
export const exportColumns = ['id', 'question', 'answer', 'category', 'tags', 'is_active', 'is_global', 'order_index'] as const;
