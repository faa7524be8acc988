import { type ErrorCode, textOfCode } from '../../../contract/areas/errors/codes.ts';

/** What came of a call of a function or a tool. */
export type CallOutcome =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: ErrorCode; readonly text: string };

/** An outcome, and how long the call took in milliseconds of real time. */
export type TimedOutcome = CallOutcome & { readonly duration: number };

/** A call that failed. @param text why; by default, what the code means */
export function failedCall(code: ErrorCode, text = textOfCode[code]): CallOutcome {
  return { ok: false, code, text };
}

/** An outcome as answers to tests show it. */
export function outcomeRecord(outcome: TimedOutcome) {
  const { ok, duration } = outcome;
  return {
    ok,
    duration_ms: Math.round(duration),
    result: outcome.ok ? outcome.result : null,
    error: outcome.ok ? null : { code: outcome.code, text: outcome.text },
  };
}

/** Measures how long a call takes. */
export async function timed(call: () => Promise<CallOutcome>): Promise<TimedOutcome> {
  const started = performance.now();
  const outcome = await call();
  return { ...outcome, duration: performance.now() - started };
}
