import type { KindName } from '../kind.ts';
import type { FilePlace } from './problems.ts';
import type { Fields } from '../values.ts';

/** A record defined in the files. */
export interface FileRecord {
  readonly kind: KindName;
  /** The managed fields, normalised. */
  readonly fields: Fields;
  /** Its previous name, from `was`. */
  readonly was?: string | undefined;
  /** The id of the live record, needed when several have the same name. */
  readonly id?: string | undefined;
  /** Returns the position of the record or of one of its fields. */
  readonly placeOf: (field?: string) => FilePlace;
}

/** The configuration that the files define. */
export interface Configuration {
  /** The id of the account that the files are for; if undefined, they can be applied to any account. */
  readonly account?: string | undefined;
  readonly records: readonly FileRecord[];
  /** The kinds that the files contain, including those with an empty list. */
  readonly kinds: ReadonlySet<KindName>;
  readonly prune: ReadonlySet<KindName>;
  /** Warnings to show, such as kinds that were ignored. */
  readonly notes: readonly string[];
}
