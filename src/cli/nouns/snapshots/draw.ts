import type { ResultRow } from '../../output/result.ts';
import type { Screen } from '../../output/screen.ts';
import { TableFormatter } from '../../output/table.ts';
import type { AppliedRow } from './applied-row.ts';

/** Draws what applying a snapshot did on each account, and below it what needs attention there. */
export async function drawApplied(rows: readonly ResultRow[], screen: Screen): Promise<string> {
  const applied = rows as unknown as readonly AppliedRow[];
  const hasErrors = applied.some(({ error }) => error !== null);
  const columns = ['account', 'status', 'created', 'updated', 'skipped', ...(hasErrors ? ['error'] : [])];
  const attention = applied.flatMap(({ account, needs_attention: needs }) =>
    needs.map(({ kind, key, reason }) => ({ account, kind, record: key, needs_attention: reason })),
  );
  const accounts = await drawTable(columns, rows, screen);
  return attention.length === 0
    ? accounts
    : `${accounts}\n${await drawTable(['account', 'kind', 'record', 'needs_attention'], attention, screen)}`;
}

async function drawTable(columns: readonly string[], rows: readonly ResultRow[], screen: Screen): Promise<string> {
  const table = new TableFormatter(columns, screen);
  return `${await table.page(rows)}${table.end()}`;
}
