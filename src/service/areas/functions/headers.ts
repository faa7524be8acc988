import { mask } from '../../../contract/secret.ts';
import { invalidField } from '../../errors.ts';
import { Column } from '../../store/columns.ts';

/** Headers by name. */
export type Headers = Readonly<Record<string, string>>;

/** The headers of a function or a tool server. Answers show their values masked. */
export function headersColumn(): Column<Headers, string, Headers> {
  return new Column('text', {
    decode: (stored: string) => JSON.parse(stored) as Headers,
    encode: (headers: Headers) => JSON.stringify(headers),
    show: (headers: Headers) => Object.fromEntries(Object.keys(headers).map((name) => [name, mask])),
  });
}

/** What headers belong to. */
interface Addressed {
  readonly url: string;
  readonly headers: Headers;
}

/**
 * The headers after a change (rule functions.6). A masked value keeps the stored one, but the secrets of one origin are not sent to
 * another.
 * @returns undefined when they stay
 * @throws ApiError 400 when a value must be sent anew
 */
export function changedHeaders(stored: Addressed, { url = stored.url, headers }: Partial<Addressed>): Headers | undefined {
  const isElsewhere = new URL(url).origin !== new URL(stored.url).origin;
  if (isElsewhere && !headers && Object.keys(stored.headers).length > 0)
    throw invalidField('headers', 'must be sent anew, because url leads to another server');
  if (!headers) return undefined;
  const known = new Map(Object.entries(stored.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const kept = ([name, value]: [string, string]): [string, string] => {
    if (value !== mask) return [name, value];
    const before = known.get(name.toLowerCase());
    if (isElsewhere) throw invalidField(`headers.${name}`, 'must be sent anew, because url leads to another server');
    if (before === undefined) throw invalidField(`headers.${name}`, `has no stored value that ${mask} could keep`);
    return [name, before];
  };
  return Object.fromEntries(Object.entries(headers).map(kept));
}

/** The headers of a new record. @throws ApiError 400 for a masked value */
export function newHeaders(url: string, headers: Headers = {}): Headers {
  return changedHeaders({ url, headers: {} }, { headers }) ?? {};
}
