/** Assigns numbers to the attempts of deliveries, including concurrent attempts in this process. */
export class AttemptNumbers {
  /** The numbers of the attempts in progress, by delivery. */
  readonly #made = new Map<string, Set<number>>();

  /**
   * Makes an attempt.
   * @param last the number of the last attempt that is recorded
   * @param attempt makes the attempt. Its number follows those that are recorded or in progress. An attempt that has ended but is
   * not recorded yet is not considered
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
