import { type Severity, severities } from '../../../contract/areas/agency/endpoints.ts';
import type { Attention } from '../../../contract/areas/agency/severity.ts';
import { compareTexts } from '../../../contract/text/compare-texts.ts';
import { toCredits } from '../../store/millionths.ts';

/** A sub-account, with its exact balance, and its severity with what that depends on. */
export interface Client {
  readonly seq: number;
  readonly id: string;
  readonly name: string;
  readonly millionths: number;
  readonly attention: Attention & {
    readonly balance: number;
    readonly webhooks: { readonly disabled: number; readonly failing: number };
    readonly channels: { readonly disconnected: number };
    readonly keys_expiring: number;
    readonly imports_failed: number;
    readonly alerts_open: number;
    readonly errors_24h: number;
  };
  readonly severity: Severity;
}

/** The place of a client in the order: its severity, its name, and its number. */
export type Position = readonly [severity: number, name: string, seq: number];

interface Placed {
  readonly seq: Position;
  readonly client: Client;
}

function positionOf({ seq, name, severity }: Client): Position {
  return [severities.indexOf(severity), name, seq];
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

/** The sums over all clients. */
export function totalsOf(clients: readonly Placed[]) {
  const counts = { error: 0, warning: 0, ok: 0 };
  let millionths = 0;
  for (const { client } of clients) {
    millionths += client.millionths;
    counts[client.severity]++;
  }
  return { accounts: clients.length, balance: toCredits(millionths), ...counts };
}
