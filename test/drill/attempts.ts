/**
 * What became of a request that should store something: it was acknowledged, it was refused or did not reach a server, or
 * nobody knows, because its answer was cut off or was 503.
 */
export type Outcome = 'acknowledged' | 'unknown' | 'refused';

const strength: Readonly<Record<Outcome, number>> = { acknowledged: 2, unknown: 1, refused: 0 };

/** What a comparison of the store with the attempts found. */
export interface Comparison {
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly unexpected: readonly string[];
}

/** The attempts to store records of one kind, each with a name that is unique. */
export class Attempts {
  readonly #outcomes = new Map<string, Outcome>();

  /** Notes an attempt. Of several attempts to store the same, the surest counts. */
  note(name: string, outcome: Outcome): void {
    const before = this.#outcomes.get(name);
    if (before === undefined || strength[outcome] > strength[before]) this.#outcomes.set(name, outcome);
  }

  count(outcome: Outcome): number {
    return this.#outcomes.values().reduce((sum, one) => sum + Number(one === outcome), 0);
  }

  /** Compares the names that are stored with the attempts. */
  compare(stored: readonly string[]): Comparison {
    const times = new Map<string, number>();
    for (const name of stored) times.set(name, (times.get(name) ?? 0) + 1);
    return {
      lost: [...this.#outcomes].filter(([name, outcome]) => outcome === 'acknowledged' && !times.has(name)).map(([name]) => name),
      doubled: [...times].filter(([, count]) => count > 1).map(([name]) => name),
      unexpected: [...times.keys()].filter((name) => (this.#outcomes.get(name) ?? 'refused') === 'refused'),
    };
  }
}
