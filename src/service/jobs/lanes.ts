/**
 * Shares the places of a runner out among lanes. A lane may take a place as long as it has fewer than half of those
 * that are free: one alone gets a third of all, many get less each, and one that has none finds a place as long as there
 * are fewer others than places, however still they stand.
 */
export class Lanes {
  readonly #running = new Map<string, number>();
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  /** How many places are free. */
  get free(): number {
    return this.#free;
  }

  enter(lane: string): void {
    this.#running.set(lane, (this.#running.get(lane) ?? 0) + 1);
    this.#free--;
  }

  leave(lane: string): void {
    const left = (this.#running.get(lane) ?? 0) - 1;
    if (left > 0) this.#running.set(lane, left);
    else this.#running.delete(lane);
    this.#free++;
  }

  /** Begins to choose who enters next. */
  plan(): LanePlan {
    return new LanePlan(new Map(this.#running), this.#free);
  }
}

/** A choice of who enters, that changes nothing until they do. */
class LanePlan {
  /** The lanes that asked for more than their share. */
  readonly refused = new Set<string>();
  readonly #running: Map<string, number>;
  #free: number;

  constructor(running: Map<string, number>, free: number) {
    this.#running = running;
    this.#free = free;
  }

  get free(): number {
    return this.#free;
  }

  /** Takes a place for a lane. Returns whether it may have it. */
  take(lane: string): boolean {
    const running = this.#running.get(lane) ?? 0;
    if (this.#free === 0 || running >= Math.max(1, this.#free / 2)) {
      this.refused.add(lane);
      return false;
    }
    this.#running.set(lane, running + 1);
    this.#free--;
    return true;
  }
}
