import type { Journal } from '../activity/journal.ts';
import type { Template } from './table.ts';

/** Tells the account of the decision on a template; of nothing while there is none. */
export function tellDecision(journal: Journal, { id, name, status }: Pick<Template, 'id' | 'name' | 'status'>): void {
  const entity = { type: 'template', id } as const;
  if (status === 'approved')
    journal.notify({ kind: 'template_approved', title: 'A template was approved', text: `'${name}' can be sent now.`, entity });
  if (status === 'rejected') {
    const text = `'${name}' was rejected. Its rejection reason says why: change it and submit it again.`;
    journal.notify({ kind: 'template_rejected', title: 'A template was rejected', text, entity });
  }
}
