declare module '../../parts.ts' {
  interface Parts {
    readonly replyOrder: ReplyOrder;
  }
}

/** Keeps the replies to a contact in the order of its messages, however long a model takes for each. */
export class ReplyOrder {
  /** The latest reply to each contact that is being written. */
  readonly #latest = new Map<string, Promise<unknown>>();

  /**
   * Sends a reply once it is written and the earlier replies to the contact are sent or have failed.
   * @param written the reply; replies are written at the same time
   */
  async send<Written, Sent>(contactId: string, written: Promise<Written>, send: (reply: Written) => Promise<Sent>): Promise<Sent> {
    const earlier = this.#latest.get(contactId);
    const sending = (async () => {
      const reply = await written;
      await earlier;
      return await send(reply);
    })();
    const settled = sending.catch(() => {});
    this.#latest.set(contactId, settled);
    try {
      return await sending;
    } finally {
      if (this.#latest.get(contactId) === settled) this.#latest.delete(contactId);
    }
  }
}
