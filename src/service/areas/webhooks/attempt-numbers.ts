/** Numbers the attempts of deliveries, also of those that this process makes at the same time. */
export class AttemptNumbers {
  /** The numbers of the attempts that are being made, by delivery. */
  readonly #made = new Map<string, Set<number>>();

  /**
   * Makes an attempt.
   * @param last the number of the last attempt that is recorded
   * @param attempt makes it, with its number: the next one after those that are recorded or being made. One that has ended
   *   and is not recorded yet is not known
   */
  async next<Result>(deliveryId: string, last: number, attempt: (number: number) => Promise<Result>): Promise<Result> {
    const made = this.#made.get(deliveryId) ?? new Set();
    const number = Math.max(last, ...made) + 1;
    this.#made.set(deliveryId, made.add(number));
    try {
      return await attempt(number);
    } finally {
      made.delete(number);
      if (made.size === 0) this.#made.delete(deliveryId);
    }
  }
}
