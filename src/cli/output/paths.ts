import type { ResultRow } from './result.ts';

/**
 * Reads the value at a path in a row: `scopes.read_only`, or `tags.name` for a field of each list item. A row that is text,
 * such as an id in a list of ids, is the value of its only column.
 */
export function readColumn(row: ResultRow, column: string): unknown {
  if (typeof row === 'string') return row;
  if (Object.hasOwn(row, column)) return row[column];
  return column.split('.').reduce<unknown>(readField, row);
}

function readField(value: unknown, field: string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => readField(item, field));
  return (value as ResultRow | null | undefined)?.[field];
}

/** Sets a nested field such as `scopes.read_only`, creating the objects that contain it. */
export function setPath(target: Record<string, unknown>, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop() ?? '';
  const holder = names.reduce<Record<string, unknown>>((at, name) => (at[name] ??= {}) as Record<string, unknown>, target);
  holder[last] = value;
}
