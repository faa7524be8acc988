import { counted, digits } from '../../../contract/text/counted.ts';
import type { ResultRow } from '../../output/result.ts';
import { capitalize } from '../../output/capitalize.ts';
import { isRejected, type ReadStep } from '../../rows/steps.ts';

/** Counts rows by result. */
export class Tally {
  taken = 0;
  duplicates = 0;
  rejected = 0;
  /** Whether a rejected number may only lack the country code. */
  hasNationalNumbers = false;
  /** What an import does with the rows that it takes. The service does not tell new contacts from updated ones. */
  readonly #done: string;

  /** @param updates whether contacts that exist are updated */
  constructor(updates = false) {
    this.#done = updates ? 'imported or updated' : 'imported';
  }

  add({ taken, skipped }: ReadStep): void {
    const rejected = skipped.filter(isRejected);
    this.taken += taken;
    this.rejected += rejected.length;
    this.duplicates += skipped.length - rejected.length;
    this.hasNationalNumbers ||= rejected.some(({ code, mapped }) => code === 'invalid_number' && isNational(mapped?.phone_number));
  }

  /** The counts of an import, for documents. */
  get imported(): ResultRow {
    return { imported: this.taken, skipped_count: this.duplicates + this.rejected };
  }

  /** The counts of an import, as text. */
  get importedText(): string {
    const { taken, duplicates, rejected } = this;
    if (taken + duplicates + rejected === 0) return 'Nothing was imported: the file has 0 rows.';
    const skipped = duplicates > 0 ? `, skipped ${counted(duplicates, 'duplicate')}` : rejected > 0 ? '' : ', skipped 0';
    return `${capitalize(this.#done)} ${digits(taken)}${skipped}${rejected > 0 ? `, rejected ${digits(rejected)}` : ''}.`;
  }

  get importingText(): string {
    return `${digits(this.taken)} ${this.#done}, ${digits(this.duplicates + this.rejected)} skipped`;
  }

  /** The counts of a dry run, for documents. */
  get checked(): ResultRow {
    return { ready: this.taken, rejected: this.rejected, duplicates: this.duplicates };
  }

  /** The counts of a dry run, as text. */
  get checkedText(): string {
    return `${digits(this.taken)} ready, ${digits(this.rejected)} rejected, ${counted(this.duplicates, 'duplicate')}`;
  }
}

function isNational(number: unknown): boolean {
  return typeof number === 'string' && /^[\d(][\d\s().\-/]{5,}$/.test(number);
}
