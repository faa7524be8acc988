import { terminalText } from '../output/cell.ts';

/** An attempt of a delivery. */
export interface ShownAttempt {
  readonly at: string;
  readonly attempt: number;
  readonly status_code: number | null;
  readonly failure_type: string | null;
  readonly duration_ms: number;
  readonly response_body: string | null;
}

/** A delivery with its attempts. */
interface ShownDelivery {
  readonly id: string;
  readonly event: string;
  readonly state: string;
  readonly next_attempt_at: string | null;
  readonly attempts: readonly ShownAttempt[];
}

/** The result of an attempt: `200`, `500 temporary`, `no answer timeout`. */
export function outcomeOf({ status_code: status, failure_type: failure }: Pick<ShownAttempt, 'status_code' | 'failure_type'>): string {
  return failure === null ? `${status}` : `${status ?? 'no answer'} ${failure}`;
}

/** A delivery as text: its state, a line for each attempt, and the body that was sent. */
export function deliveryText({ id, event, state, next_attempt_at: next, attempts }: ShownDelivery, body: string | undefined): string {
  const head = `${id}  ${event}  ${state}${next === null ? '' : `, next attempt ${next}`}`;
  const lines = attempts.map((attempt) =>
    [attempt.attempt, attempt.at, outcomeOf(attempt), `${attempt.duration_ms} ms`, terminalText(attempt.response_body ?? '')]
      .join('  ')
      .trimEnd(),
  );
  return `${[head, ...lines, ...(body === undefined ? [] : ['', terminalText(body)])].join('\n')}\n`;
}
