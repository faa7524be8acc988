import type { Unsent } from './settings.ts';

// A browser may refuse to keep anything for a page in a frame. Then the chat lasts as long as the page.

function storage(kind: 'localStorage' | 'sessionStorage'): Storage | undefined {
  try {
    return window[kind];
  } catch {
    return undefined;
  }
}

/** What a chat remembers: the token of the visitor on this computer, and what this tab has not sent. */
export class Memory {
  readonly #key: string;
  #token: string | null = null;

  /** @param path of the widget */
  constructor(path: string) {
    this.#key = `chat ${path}`;
  }

  get token(): string | null {
    return storage('localStorage')?.getItem(this.#key) ?? this.#token;
  }

  set token(token: string | null) {
    this.#token = token;
    try {
      if (token === null) storage('localStorage')?.removeItem(this.#key);
      else storage('localStorage')?.setItem(this.#key, token);
    } catch {
      // There is no room.
    }
  }

  readUnsent(): Unsent[] {
    try {
      return JSON.parse(storage('sessionStorage')?.getItem(this.#key) ?? '[]') as Unsent[];
    } catch {
      return [];
    }
  }

  keepUnsent(unsent: readonly Unsent[]): void {
    try {
      storage('sessionStorage')?.setItem(this.#key, JSON.stringify(unsent));
    } catch {
      // There is no room.
    }
  }
}
