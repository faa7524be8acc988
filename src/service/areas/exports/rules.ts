import { exportDaysMax, type ExportStatus } from '../../../contract/areas/exports/endpoints.ts';
import { dayLength } from '../../../contract/time/days.ts';
import { iso } from '../../../contract/time/instants.ts';
import { invalidField } from '../../errors.ts';
import { readPeriod } from '../../http/period.ts';
import type { ChatExport } from './table.ts';

/** How long the file of an export is kept, in milliseconds of the service's clock (rule exports.9). */
export const keptFor = 7 * dayLength;

/** Limits of exports, which tests lower. */
export interface ExportLimits {
  /** The most messages of an export (rule exports.7). */
  readonly messagesMax: number;
  /** The length of a part of a file, in characters. */
  readonly partLength: number;
}

export const usualExportLimits: ExportLimits = { messagesMax: 5_000_000, partLength: 512 * 1024 };

/** The status of an export at an instant: one that is ready expires (rule exports.9). */
export function statusOf({ status, expires_at: end }: Pick<ChatExport, 'status' | 'expires_at'>, now: number): ExportStatus {
  return status === 'ready' && end !== null && end <= now ? 'expired' : status;
}

/** An export as answers show it, at an instant. Figures that are not there yet are null (rule exports.4). */
export function exportRecord(row: ChatExport, now: number) {
  const { id, from_day: from, to_day: to, format, contact_ids, tag_id, agent_id, channel, sha256, error_message } = row;
  const status = statusOf(row, now);
  const isCounted = status !== 'queued' && status !== 'failed';
  return {
    id,
    status,
    from,
    to,
    format,
    contact_ids: contact_ids && [...contact_ids],
    tag_id,
    agent_id,
    channel,
    sessions: isCounted ? row.sessions : null,
    messages: isCounted ? row.messages : null,
    bytes: sha256 === null ? null : row.bytes,
    sha256,
    expires_at: iso(row.expires_at),
    error_message,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

/** Checks the days of an export (rule exports.1). @throws ApiError 400 */
export function checkDays(days: { readonly from: string; readonly to: string }): void {
  const { first = 0, last = 0 } = readPeriod(days);
  if (last - first >= exportDaysMax * dayLength) throw invalidField('to', `must be at most ${exportDaysMax} days from the first one on`);
}
