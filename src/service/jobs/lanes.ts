import { getsAnother, Holders } from '../flow/shares.ts';

/**
 * The lane of an account's jobs that use a resource, such as a receiver of webhooks. The account has a share of the places for all
 * its lanes, and the resource has one for the lanes of all accounts.
 */
export function laneOf(accountId: string, resource: string): string {
  return `${accountId} ${resource}`;
}

/** What has a share of the places: the lane itself, and for the lane of an account also the account and the resource. */
function namesOf(lane: string): { readonly lane: string; readonly account?: string; readonly resource?: string } {
  const blank = lane.indexOf(' ');
  return blank < 0 ? { lane } : { lane, account: lane.slice(0, blank), resource: lane.slice(blank + 1) };
}

/** The places that each can have for each that is free: an account, a resource or a lane without an account, a lane of an account. */
const shares = { account: 1, resource: 1 / 2, lane: 1 / 4 } as const;

/**
 * Divides the places of a runner among lanes, accounts and resources (see `getsAnother`): an account has at most half of all, and the
 * next account half of the rest; a lane of an account has a third of the account's places; a resource, and a lane without an account,
 * a third of all.
 */
export class Lanes {
  readonly #running = new Holders();
  /** The names that were full when the due jobs were last chosen, each with the number of its jobs that have ended since. */
  readonly #full = new Map<string, number>();
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  /** The number of free places. */
  get free(): number {
    return this.#free;
  }

  enter(lane: string): void {
    for (const name of Object.values(namesOf(lane))) this.#running.add(name, 1);
    this.#free--;
  }

  leave(lane: string): void {
    for (const name of Object.values(namesOf(lane))) this.#running.add(name, -1);
    this.#free++;
    for (const name of this.#fullNamesOf(lane)) this.#full.set(name, (this.#full.get(name) ?? 0) + 1);
  }

  /** Creates a plan for the next jobs, without changing the lanes. */
  plan(): LanePlan {
    return new LanePlan(this.#running.copy(), this.#free);
  }

  /** Remembers the names that are full and have more due jobs. */
  setFull(names: Iterable<string>): void {
    this.#full.clear();
    for (const name of names) this.#full.set(name, 0);
  }

  /** Whether to look for more jobs after a job of this lane has left. What is full is refilled after an eighth of its jobs. */
  needsMore(lane: string): boolean {
    const full = this.#fullNamesOf(lane);
    return full.length === 0 || full.some((name) => (this.#full.get(name) ?? 0) * 8 >= this.#running.of(name));
  }

  #fullNamesOf(lane: string): string[] {
    return Object.values(namesOf(lane)).filter((name) => this.#full.has(name));
  }
}

/** A plan for the next jobs in the lanes. */
export class LanePlan {
  /** The names of the lanes, accounts and resources that were full when they asked for another place. */
  readonly full = new Set<string>();
  readonly #running: Holders;
  #free: number;

  constructor(running: Holders, free: number) {
    this.#running = running;
    this.#free = free;
  }

  get free(): number {
    return this.#free;
  }

  /** Plans a place for a lane. @returns whether the lane gets it */
  enter(lane: string): boolean {
    const full = this.#free === 0 ? [lane] : this.#fullNamesOf(lane);
    for (const name of full) this.full.add(name);
    if (full.length > 0) return false;
    for (const name of Object.values(namesOf(lane))) this.#running.add(name, 1);
    this.#free--;
    return true;
  }

  /** Whether a lane is known to be full. */
  isFull(lane: string): boolean {
    return Object.values(namesOf(lane)).some((name) => this.full.has(name));
  }

  /** Which of a lane, its account and its resource cannot get another place. */
  #fullNamesOf(lane: string): string[] {
    const { account, resource = lane } = namesOf(lane);
    const getsOne = (name: string, free: number, share: number) => getsAnother(this.#running.of(name), free, share);
    const full = getsOne(resource, this.#free, shares.resource) ? [] : [resource];
    if (account === undefined) return full;
    if (!getsOne(account, this.#free, shares.account)) full.push(account);
    if (!getsOne(lane, this.#free - this.#running.of(account), shares.lane)) full.push(lane);
    return full;
  }
}
