/** The formats of an export, which an import reads. */
export const exportFormats = ['csv', 'json', 'ndjson', 'yaml', 'md'] as const;

/** The columns of CSV: what an import reads, and the id, by which an order can be given. */
export const exportColumns = ['id', 'question', 'answer', 'category', 'tags', 'is_active', 'is_global', 'order_index'] as const;
