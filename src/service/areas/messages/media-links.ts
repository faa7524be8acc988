import { createHmac, timingSafeEqual } from 'node:crypto';

declare module '../../parts.ts' {
  interface Parts {
    readonly mediaLinks: MediaLinks;
  }
}

/** How long the address of a file works, in milliseconds of the service's clock (rule media.4). */
const lifetime = 86_400_000;

/** The addresses of the files of media messages. They hold all that is needed to check them. */
export class MediaLinks {
  readonly #secret: string;
  readonly #publicUrl: string;

  /** @param secret of the store, so that its servers know each other's addresses */
  constructor(secret: string, publicUrl: string) {
    this.#secret = secret;
    this.#publicUrl = publicUrl;
  }

  /** The address of a file. @param now by the service's clock */
  url(mediaId: string, now: number): string {
    const text = `${mediaId}.${(now + lifetime).toString(36)}`;
    return `${this.#publicUrl}/m/${Buffer.from(text).toString('base64url')}.${this.#sign(text).toString('base64url')}`;
  }

  /** The id of the file that the token of an address names; undefined for one that is forged or over. */
  read(token: string, now: number): string | undefined {
    const [encoded = '', signature = ''] = token.split('.');
    const text = Buffer.from(encoded, 'base64url').toString();
    const given = Buffer.from(signature, 'base64url');
    const expected = this.#sign(text);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const [mediaId, until = ''] = text.split('.');
    return now < Number.parseInt(until, 36) ? mediaId : undefined;
  }

  #sign(text: string): Buffer {
    return createHmac('sha256', this.#secret).update(`media ${text}`).digest();
  }
}
