import { randomId } from '../random-id.ts';
import { Refused, request } from '../settings.ts';
import { readEvents } from './events.ts';
import type { Memory } from './memory.ts';
import type { Message, Settings, Unsent } from './settings.ts';

/** What a chat shows. */
export interface State {
  readonly messages: readonly Message[];
  readonly unsent: readonly Unsent[];
  /** Whether there are earlier messages than those shown. */
  readonly hasEarlier: boolean;
  /** Whether the service cannot be reached, so that messages wait. */
  readonly isOffline: boolean;
  /** Whether the chat is not available any more. */
  readonly isGone: boolean;
  /** Whether too much was sent, so that the visitor has to wait. */
  readonly isLimited: boolean;
  /** Whether an answer is awaited. */
  readonly isAwaiting: boolean;
  /** Whether messages from before are being read. */
  readonly isReading: boolean;
  /** Whether the visitor must tell something first. */
  readonly mustIntroduce: boolean;
}

/** How long an answer is awaited, in milliseconds. */
const patience = 45_000;

/** The times between two attempts, in milliseconds. */
const shortestPause = 500;
const longestPause = 15_000;

/** The conversation of a visitor: what is sent, what arrives, and what waits. */
export class Conversation {
  readonly #settings: Settings;
  readonly #memory: Memory;
  readonly #onChange: (state: State) => void;
  readonly #onAnswer: (message: Message) => void;
  /** Whether answers are wanted while nobody looks at the page. */
  readonly #isKept: () => boolean;
  #state: State;
  #cursor: string | null = null;
  /** The last message up to which all were read. One that was only sent is not: answers may have come before it. Null before the first page. */
  #heard: string | null = null;
  #isSending = false;
  #isListening = false;
  /** Ends the connection at hand, and the wait for the next one. */
  #attempt = new AbortController();
  #awaiting: ReturnType<typeof setTimeout> | undefined;
  /** The number of answers that have arrived. */
  #answers = 0;
  /** The time until what waits is sent again, in milliseconds. */
  #pause = shortestPause;

  /**
   * @param memory of this widget
   * @param onAnswer called for each answer that arrives while the page is open
   * @param isKept whether answers are wanted while nobody looks at the page
   */
  constructor(
    settings: Settings,
    memory: Memory,
    onChange: (state: State) => void,
    onAnswer: (message: Message) => void,
    isKept: () => boolean,
  ) {
    this.#settings = settings;
    this.#memory = memory;
    this.#onChange = onChange;
    this.#onAnswer = onAnswer;
    this.#isKept = isKept;
    this.#state = {
      messages: [],
      unsent: this.#memory.unsent,
      hasEarlier: false,
      isOffline: !navigator.onLine,
      isGone: false,
      isLimited: false,
      isAwaiting: false,
      isReading: this.#memory.token !== null,
      mustIntroduce: this.#memory.token === null && settings.asks.length > 0,
    };
  }

  get state(): State {
    return this.#state;
  }

  /** Shows what was written before, and begins to listen. */
  begin(): void {
    window.addEventListener('online', () => {
      // A connection from before would be found dead only later.
      this.#attempt.abort();
      void this.#send();
    });
    window.addEventListener('offline', () => this.#change({ isOffline: true }));
    // A browser has few connections to a server, which hidden tabs would take.
    document.addEventListener('visibilitychange', () => this.#attempt.abort());
    // Another tab may have begun.
    window.addEventListener('storage', () => {
      if (this.#memory.token !== null) this.#change({ mustIntroduce: false });
      void this.#listen();
    });
    void this.#listen();
    void this.#send();
  }

  /** Begins as a visitor who told this. @throws Refused when the service does not take it */
  async introduce(person: Readonly<Record<string, string>>): Promise<void> {
    await this.#introduce(person);
    this.#change({ mustIntroduce: false });
  }

  /** Sends a text, at once or when that is possible. */
  write(text: string): void {
    this.#setUnsent([...this.#state.unsent, { clientId: randomId(), text, hasFailed: false }]);
    void this.#send();
  }

  /** Tries again to send what failed. */
  retry(): void {
    this.#setUnsent(this.#state.unsent.map((each) => ({ ...each, hasFailed: false })));
    this.#change({ isLimited: false });
    void this.#send();
  }

  /** Reads the page of messages before those that are shown. */
  async readEarlier(): Promise<void> {
    const { token } = this.#memory;
    if (token === null) return;
    this.#change({ isReading: true });
    const from = this.#cursor === null ? '' : `?cursor=${encodeURIComponent(this.#cursor)}`;
    const page = await request<{ messages: Message[]; next_cursor: string | null }>(`${this.#settings.path}/messages${from}`, { token });
    this.#cursor = page.next_cursor;
    this.#add(page.messages, { hasEarlier: page.next_cursor !== null });
    // An id that the service does not know begins with the oldest message.
    this.#heard ??= lastOf(page.messages)?.id ?? 'none';
    // In a change of its own, so that what was added is not read out as news.
    setTimeout(() => this.#change({ isReading: false }));
  }

  async #introduce(person: Readonly<Record<string, string>>): Promise<string> {
    const { token } = await request<{ token: string }>(`${this.#settings.path}/visitors`, { body: person });
    this.#memory.token = token;
    void this.#listen();
    return token;
  }

  #change(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
    this.#onChange(this.#state);
  }

  #setUnsent(unsent: readonly Unsent[]): void {
    this.#memory.unsent = unsent;
    this.#change({ unsent });
  }

  /** Adds messages, each once, in the order of their times. */
  #add(added: readonly Message[], change: Partial<State> = {}): void {
    const byId = new Map([...this.#state.messages, ...added].map((message) => [message.id, message]));
    this.#change({ ...change, messages: inOrder([...byId.values()]) });
  }

  /** Sends what waits, one after the other, until something fails. */
  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (let next = this.#next(); next; next = this.#next()) {
        const token = this.#memory.token ?? (await this.#introduce({}));
        const { clientId, text } = next;
        const before = this.#answers;
        const { message } = await request<{ message: Message }>(`${this.#settings.path}/messages`, {
          token,
          body: { text, client_id: clientId },
        });
        this.#store(clientId, message);
        // The answer may have come by the stream before this one.
        if (this.#answers === before) this.#await();
        this.#reached();
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isSending = false;
    }
  }

  /** Shows a message as stored, that waited until now. */
  #store(clientId: string | undefined, message: Message): void {
    const unsent = this.#state.unsent.filter((each) => each.clientId !== clientId);
    this.#memory.unsent = unsent;
    this.#add([message], { unsent });
  }

  /** The service was reached. */
  #reached(): void {
    this.#pause = shortestPause;
    if (this.#state.isOffline) this.#change({ isOffline: false });
  }

  #next(): Unsent | undefined {
    const { unsent, mustIntroduce } = this.#state;
    const [first] = unsent;
    // The messages keep their order: none is sent before one that failed.
    return mustIntroduce || first?.hasFailed ? undefined : first;
  }

  #fail(error: unknown): void {
    const status = error instanceof Refused ? error.status : 0;
    if (status === 401) {
      this.#forget();
      if (!this.#state.mustIntroduce) setTimeout(() => void this.#send(), 500);
      return;
    }
    if (status === 404) return this.#change({ isGone: true });
    if (status === 0 || status >= 500) {
      // The messages wait until the service is back.
      this.#change({ isOffline: true });
      setTimeout(() => void this.#send(), this.#pause);
      this.#pause = Math.min(this.#pause * 2, longestPause);
      return;
    }
    this.#setUnsent(this.#state.unsent.map((each) => ({ ...each, hasFailed: true })));
    this.#change({ isLimited: status === 429 });
  }

  /** The token has ended, such as when the contact was deleted: the visitor begins anew. */
  #forget(): void {
    this.#memory.token = null;
    [this.#heard, this.#cursor] = [null, null];
    this.#change({ mustIntroduce: this.#settings.asks.length > 0 });
  }

  #await(): void {
    clearTimeout(this.#awaiting);
    this.#change({ isAwaiting: true });
    this.#awaiting = setTimeout(() => this.#change({ isAwaiting: false }), patience);
  }

  /** Reads what was written, and what comes, and connects again whenever the connection is lost. */
  async #listen(): Promise<void> {
    if (this.#isListening || this.#memory.token === null) return;
    this.#isListening = true;
    for (let pause = shortestPause; ; pause = Math.min(pause * 2, longestPause)) {
      const { token } = this.#memory;
      if (token === null) break;
      this.#attempt = new AbortController();
      const { signal } = this.#attempt;
      try {
        if (document.hidden && !this.#isKept()) await aborted(signal);
        if (this.#heard === null) await this.readEarlier();
        for await (const data of readEvents(`${this.#settings.path}/stream`, token, this.#heard ?? 'none', signal)) {
          pause = shortestPause;
          this.#reached();
          if (data !== null) this.#receive(JSON.parse(data) as Message);
          else void this.#send();
        }
      } catch (error) {
        const status = error instanceof Refused ? error.status : 0;
        if (status === 401) this.#forget();
        if (status === 404) this.#change({ isGone: true });
        if (status === 401 || status === 404) break;
        // Too many others of this address are connected.
        if (status === 429) await this.#catchUp(token).catch(() => this.#change({ isOffline: true }));
        else if (!signal.aborted) this.#change({ isOffline: true });
      }
      if (signal.aborted) pause = shortestPause / 2;
      else await Promise.race([aborted(signal), new Promise((resolve) => setTimeout(resolve, pause))]);
    }
    this.#isListening = false;
  }

  /** Reads what was written since the last message, without a stream. */
  async #catchUp(token: string): Promise<void> {
    const { messages } = await request<{ messages: Message[] }>(`${this.#settings.path}/messages`, { token });
    this.#reached();
    const known = new Set(this.#state.messages.map(({ id }) => id));
    for (const message of inOrder(messages)) if (!known.has(message.id)) this.#receive(message);
  }

  #receive(arrived: Message): void {
    this.#heard = arrived.id;
    const isKnown = this.#state.messages.some(({ id }) => id === arrived.id);
    const isAnswer = arrived.from !== 'visitor';
    if (isAnswer) {
      this.#answers++;
      clearTimeout(this.#awaiting);
      this.#add([arrived], { isAwaiting: false });
      if (!isKnown) this.#onAnswer(arrived);
      return;
    }
    // The message that is being sent can come by the stream first.
    const [first] = this.#state.unsent;
    this.#store(this.#isSending && first?.text === arrived.text ? first.clientId : undefined, arrived);
  }
}

/** Messages in the order of their times. Ids grow with time, so that those of the same moment keep their order. */
function inOrder(messages: readonly Message[]): Message[] {
  return [...messages].sort((a, b) => (a.at === b.at ? (a.id < b.id ? -1 : 1) : a.at < b.at ? -1 : 1));
}

function lastOf(messages: readonly Message[]): Message | undefined {
  return inOrder(messages).at(-1);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
