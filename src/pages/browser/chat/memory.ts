import type { Unsent } from './settings.ts';

// A browser may refuse to keep anything for a page in a frame, or have no room. Then the chat lasts as long as the page.

type Kind = 'localStorage' | 'sessionStorage';

function read(kind: Kind, key: string): string | null {
  try {
    return window[kind].getItem(key);
  } catch {
    return null;
  }
}

/** @param value null removes what is kept */
function keep(kind: Kind, key: string, value: string | null): void {
  try {
    if (value === null) window[kind].removeItem(key);
    else window[kind].setItem(key, value);
  } catch {
    // What cannot be kept is lost with the page.
  }
}

/** What a chat remembers: who the visitor is and whether they want to be notified, on this computer; what was not sent, in this tab. */
export class Memory {
  readonly #key: string;
  #token: string | null = null;

  /** @param path of the widget */
  constructor(path: string) {
    this.#key = `chat ${path}`;
  }

  get token(): string | null {
    return read('localStorage', this.#key) ?? this.#token;
  }

  set token(token: string | null) {
    this.#token = token;
    keep('localStorage', this.#key, token);
  }

  get isNotified(): boolean {
    return read('localStorage', `${this.#key} notify`) !== null;
  }

  set isNotified(isNotified: boolean) {
    keep('localStorage', `${this.#key} notify`, isNotified ? 'yes' : null);
  }

  get unsent(): readonly Unsent[] {
    return JSON.parse(read('sessionStorage', this.#key) ?? '[]') as Unsent[];
  }

  set unsent(unsent: readonly Unsent[]) {
    keep('sessionStorage', this.#key, JSON.stringify(unsent));
  }

  /** What the visitor is writing. */
  get draft(): string {
    return read('sessionStorage', `${this.#key} draft`) ?? '';
  }

  set draft(text: string) {
    keep('sessionStorage', `${this.#key} draft`, text);
  }
}
