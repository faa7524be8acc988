import { type Severity, severities } from '../../../contract/areas/agency/endpoints.ts';
import { compareTexts } from '../../../contract/text/compare-texts.ts';
import { iso } from '../../../contract/time/instants.ts';
import { toCredits } from '../../store/millionths.ts';

/** The counters of a sub-account. */
export interface Client {
  readonly seq: number;
  readonly id: string;
  readonly name: string;
  readonly millionths: number;
  /** Whether the balance is below the threshold. */
  readonly isLow: boolean;
  readonly webhooks: { readonly total: number; readonly off: number; readonly disabled: number; readonly failing: number };
  readonly channels: { readonly total: number; readonly disconnected: number };
  readonly keysExpiring: number;
  readonly importsFailed: number;
  readonly alertsOpen: number;
  readonly errors: number;
}

/** How urgently a client needs attention (rule agency.3). */
export function severityOf(client: Client): Severity {
  const { millionths, isLow, webhooks, channels } = client;
  if (webhooks.disabled > 0 || channels.disconnected > 0 || millionths <= 0) return 'error';
  const warnings = [webhooks.failing, client.keysExpiring, client.importsFailed, client.alertsOpen, client.errors];
  return isLow || warnings.some((count) => count > 0) ? 'warning' : 'ok';
}

/** The place of a client in the order: its severity, its name, and its number. */
export type Position = readonly [severity: number, name: string, seq: number];

interface Placed {
  readonly seq: Position;
  readonly client: Client;
}

function positionOf(client: Client): Position {
  return [severities.indexOf(severityOf(client)), client.name, client.seq];
}

function comparePositions(a: Position, b: Position): number {
  return a[0] - b[0] || compareTexts(a[1], b[1]) || a[2] - b[2];
}

/** The worst first, and then by name. */
export function inOrder(clients: readonly Client[]): Placed[] {
  return clients.map((client) => ({ seq: positionOf(client), client })).sort((a, b) => comparePositions(a.seq, b.seq));
}

/** The clients after a place, at which a client may no longer be. */
export function pageAfter(clients: readonly Placed[], after: Position | undefined, limit: number): Placed[] {
  const start = after === undefined ? 0 : clients.findIndex(({ seq }) => comparePositions(seq, after) > 0);
  return start < 0 ? [] : clients.slice(start, start + limit);
}

/** The sums over all clients. The balance is in millionths. */
export function totalsOf(clients: readonly Placed[]) {
  const totals = { accounts: clients.length, balance: 0, error: 0, warning: 0, ok: 0 };
  for (const { client } of clients) {
    totals.balance += client.millionths;
    totals[severityOf(client)]++;
  }
  return totals;
}

/** A client as answers show it. */
export function clientRecord(client: Client, lastMessageAt: number | null) {
  return {
    account_id: client.id,
    name: client.name,
    balance: toCredits(client.millionths),
    low_balance: client.isLow,
    webhooks: client.webhooks,
    channels: client.channels,
    keys_expiring: client.keysExpiring,
    imports_failed: client.importsFailed,
    alerts_open: client.alertsOpen,
    errors_24h: client.errors,
    last_message_at: iso(lastMessageAt),
    severity: severityOf(client),
  };
}
