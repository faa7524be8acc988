/** Queues of items by key. Each queue exists while its items are processed, by one loop. */
export class KeyedQueues<Item> {
  readonly #queues = new Map<string, Item[]>();

  /**
   * Adds an item to the queue of its key. The first item starts the loop.
   * @param work removes items from the queue and does their work; is called again until the queue is empty. Must not throw
   */
  add(key: string, item: Item, work: (queue: Item[]) => Promise<void>): void {
    const queue = this.#queues.get(key);
    if (queue) queue.push(item);
    else {
      const fresh = [item];
      this.#queues.set(key, fresh);
      void this.#drain(key, fresh, work);
    }
  }

  async #drain(key: string, queue: Item[], work: (queue: Item[]) => Promise<void>): Promise<void> {
    while (queue.length > 0) await work(queue);
    // Deleted without an await after the last check, so that an item that arrives later starts a new queue.
    this.#queues.delete(key);
  }
}
