import { counted } from '../../../../contract/text/counted.ts';
import type { Unreachable } from '../reading/document.ts';

/** The addresses of a site that could not be read, although they may be there. */
export class Unread {
  #count = 0;
  #first: { readonly url: URL; readonly problem: string } | undefined;

  add(url: URL, { message }: Unreachable): void {
    this.#count++;
    this.#first ??= { url, problem: message };
  }

  /** A sentence without a full stop that says how many, and why; null when there are none. */
  get notice(): string | null {
    if (!this.#first) return null;
    const { url, problem } = this.#first;
    if (this.#count === 1) return `${url.href} could not be read: ${problem}`;
    return `${counted(this.#count, 'address', 'addresses')} of the website could not be read, such as ${url.href}: ${problem}`;
  }
}
