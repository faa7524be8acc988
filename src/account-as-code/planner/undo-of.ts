import type { Kind, LiveRecord, Undo } from '../kind.ts';
import type { Fields } from '../values.ts';

/** To what extent a change can be undone. */
export function undoOf(kind: Kind, action: 'create' | 'update' | 'delete', after: Fields, live: LiveRecord | undefined): Undo {
  const own = kind.loss?.undo?.({ action, after, live });
  if (own !== undefined) return own;
  if (kind.writing.isRemade && action !== 'create') return 'partial';
  if (action !== 'delete') return 'exact';
  return live && kind.loss?.ofDeletion?.(live) !== undefined ? 'partial' : 'new_id';
}
