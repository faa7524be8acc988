/**
 * The outcome of a request that should store something: acknowledged; refused, which includes not reaching a server; or unknown,
 * because the response was cut off or was 503.
 */
export type Outcome = 'acknowledged' | 'unknown' | 'refused';

const strength: Readonly<Record<Outcome, number>> = { acknowledged: 2, unknown: 1, refused: 0 };

/** The result of comparing the store with the attempts. */
export interface Comparison {
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly unexpected: readonly string[];
}

/** The attempts to store records of one kind, each with a unique name. */
export class Attempts {
  readonly #outcomes = new Map<string, Outcome>();

  /** Records an attempt. Of several attempts with the same name, the most certain outcome counts. */
  note(name: string, outcome: Outcome): void {
    const before = this.#outcomes.get(name);
    if (before === undefined || strength[outcome] > strength[before]) this.#outcomes.set(name, outcome);
  }

  count(outcome: Outcome): number {
    return this.#outcomes.values().reduce((sum, one) => sum + Number(one === outcome), 0);
  }

  /** Compares the stored names with the attempts. */
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
