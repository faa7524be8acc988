import { headersWith, headerValue } from '../../contract/areas/functions/headers.ts';
import { mask } from '../../contract/secret.ts';
import type { AnswerRow, LiveRecord, Loss } from '../kind.ts';
import { type Fields, isFields, unknownSecret } from '../values.ts';

/** Headers in files, where null takes away one of the bases. */
export const headersInFiles = () =>
  headersWith(headerValue().nullable()).optional().describe('headers of each request by name; their values come from !env');

/** The headers of a row. Answers do not show their values. */
export function headersOf({ headers }: AnswerRow): Fields | undefined {
  const names = isFields(headers) ? Object.keys(headers) : [];
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, unknownSecret]));
}

/** The headers to send, if they are among the fields to write. Those that the record has keep their values. */
export function sentHeaders({ headers, url }: Fields, live?: Fields): { headers?: Record<string, string> } {
  if (headers === undefined) return {};
  const kept = live === undefined || isOtherOrigin(url, live.url) ? [] : namesOf(live);
  const sent = Object.entries(isFields(headers) ? headers : {}).filter(([, value]) => value !== null);
  return { headers: Object.fromEntries(sent.map(([name, value]) => [name, kept.includes(name) ? mask : (value as string)])) };
}

/** The headers, if the url gets another origin: the service sends none there that were not sent anew. */
export function sentToNewOrigin(fields: Fields, { url }: Fields, live: LiveRecord): Fields {
  return isOtherOrigin(url, live.fields.url) && fields.headers !== undefined ? { headers: fields.headers } : {};
}

/** Why a record cannot get its new url: the files do not have the headers that must be sent to it. */
export function missingHeaders(fields: Fields, live: LiveRecord | undefined): string | undefined {
  const isMissing = live && fields.headers === undefined && namesOf(live.fields).length > 0 && isOtherOrigin(fields.url, live.fields.url);
  return isMissing ? 'its headers must be sent to the new address: add `headers` to it in the files' : undefined;
}

/** What is lost with the values of headers, which nobody can read. */
export const lossOfHeaders: Loss = {
  undo: ({ after, live }) => (isLost(after, live?.fields) ? 'partial' : undefined),
  notRestored: (_, after, before) =>
    isLost(after, before ?? {}) ? 'The values of headers cannot be restored: headers that come back are empty.' : undefined,
};

/** Whether a change loses values of headers: it deletes the record or a header, or the url gets another origin. */
function isLost(after: Fields | null, before: Fields = {}): boolean {
  const had = namesOf(before);
  const isDeleted = after === null || Object.keys(after).length === 0;
  const kept = isDeleted ? [] : 'headers' in after ? namesOf(after) : had;
  return had.some((name) => !kept.includes(name)) || (had.length > 0 && isOtherOrigin(after?.url, before.url));
}

function namesOf({ headers }: Fields): string[] {
  return isFields(headers) ? Object.keys(headers) : [];
}

function isOtherOrigin(after: unknown, before: unknown): boolean {
  return typeof after === 'string' && typeof before === 'string' && URL.parse(after)?.origin !== URL.parse(before)?.origin;
}
