import type { KindName } from '../kind.ts';
import type { Place } from './problems.ts';
import type { Fields } from '../values.ts';

/** A record of the files. */
export interface FileRecord {
  readonly kind: KindName;
  /** The fields that the files manage, in their normal form. */
  readonly fields: Fields;
  /** Its former name. */
  readonly was?: string | undefined;
  /** Which of several live records it is. */
  readonly id?: string | undefined;
  /** Where it stands, or one of its fields. */
  readonly placeOf: (field?: string) => Place;
}

/** What the files say. */
export interface Configuration {
  /** The account that they are for; any account without it. */
  readonly account?: string | undefined;
  readonly records: readonly FileRecord[];
  /** The kinds that the files hold, also those with an empty list. */
  readonly kinds: ReadonlySet<KindName>;
  readonly prune: ReadonlySet<KindName>;
  /** What a person should know: kinds that were ignored. */
  readonly notes: readonly string[];
}
