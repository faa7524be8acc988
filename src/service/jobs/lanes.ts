/**
 * Divides the places of a runner among lanes. A lane gets another place while it has fewer than half as many places as are free.
 * A single lane therefore gets a third of all places. If there are fewer lanes than places, every lane gets a place, even when
 * all other lanes are stuck.
 */
export class Lanes {
  readonly #running = new Map<string, number>();
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  /** The number of free places. */
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

  /** The number of running jobs in a lane. */
  running(lane: string): number {
    return this.#running.get(lane) ?? 0;
  }

  /** Creates a plan for the next jobs, without changing the lanes. */
  plan(): LanePlan {
    return new LanePlan(new Map(this.#running), this.#free);
  }
}

/** A plan for the next jobs in the lanes. */
export class LanePlan {
  /** The lanes that were refused a place because they have used their share. */
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

  /** Plans a place for a lane. @returns whether the lane gets it */
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
