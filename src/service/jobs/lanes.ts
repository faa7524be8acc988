/**
 * Shares the places of a runner among lanes. A lane gets a place as long as it has fewer than half of the free ones:
 * one lane alone gets a third of all places, many lanes get less each, and a lane without a place finds one as long as
 * there are fewer lanes than places, even when all other lanes are stuck.
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

  /** Plans who enters next. The plan changes nothing here. */
  plan(): LanePlan {
    return new LanePlan(new Map(this.#running), this.#free);
  }
}

/** A plan of who enters the lanes. */
export class LanePlan {
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

  /** Plans a place for a lane. @returns whether the lane may have it */
  enter(lane: string): boolean {
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
