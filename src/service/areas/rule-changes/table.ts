import { integer, text } from '../../store/columns.ts';
import { type StoredRow, table } from '../../store/table.ts';

/** The changes of each account's rules. Every transaction that changes them writes it. */
export const ruleChanges = table('rule_changes', {
  account_id: text(),
  /** The number of updates. */
  revision: integer(),
  /** Tells the state after the last change from any other, even one that was rolled back. */
  stamp: text(),
});

declare module '../../store/database.ts' {
  interface Database {
    rule_changes: StoredRow<typeof ruleChanges>;
  }
}
