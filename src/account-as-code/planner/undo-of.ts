import type { Kind, LiveRecord, Undo } from '../kind.ts';
import type { Fields } from '../values.ts';

/** How far a change can be taken back. */
export function undoOf(kind: Kind, action: 'create' | 'update' | 'delete', after: Fields, live: LiveRecord | undefined): Undo {
  if (kind.name === 'templates' && after.submit === true) return 'none';
  if (kind.name === 'webhooks' && live?.fields.signing === true && (action === 'delete' || after.signing === false)) return 'partial';
  if (kind.isRemade && action !== 'create') return 'partial';
  if (action !== 'delete') return 'exact';
  if (kind.name === 'keys') return 'none';
  return kind.loses && live && kind.loses(live) !== undefined ? 'partial' : kind.name === 'webhooks' ? 'partial' : 'new_id';
}
