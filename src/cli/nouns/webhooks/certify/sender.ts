import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { randomBytes } from 'node:crypto';
import { exampleOf } from '../../../../contract/example.ts';
import { jsonSchema } from '../../../../contract/json-schema.ts';
import { deliveryHeaders, signatureHeaders } from '../../../../contract/deliveries/headers.ts';
import type { EventName } from '../../../../contract/areas/webhooks/event-names.ts';
import { payloadSchema } from '../../../../contract/areas/webhooks/payloads.ts';
import { describeNetworkError, networkErrorCode } from '../../../../contract/network-errors.ts';
import { iso } from '../../../../contract/time/instants.ts';
import type { World } from '../../../world.ts';

/** A delivery to try a receiver with. What is not given is as in production. */
export interface Trial {
  readonly event?: EventName;
  /** The same for deliveries that repeat one another; by default, new. */
  readonly id?: string;
  readonly attempt?: number;
  /** How much later than now it happened, and was signed, in milliseconds. */
  readonly happenedLater?: number;
  readonly signedLater?: number;
  /** Signs it with this secret instead of the right one. */
  readonly secret?: string;
  /** The size of its payload, in bytes at least. */
  readonly size?: number;
  /** Sends its payload in this many parts, with a pause between them. */
  readonly parts?: number;
}

/** What came back. */
export interface Reply {
  /** Null when there was no answer. */
  readonly status: number | null;
  /** Why there was none; null when there was. */
  readonly problem: string | null;
  /** Whether nothing was connected, so that other deliveries will not be either. */
  readonly isUnreachable: boolean;
}

/** A delivery times out after 10 seconds (rule webhooks.45). */
const timeout = 10_000;

/** How much of an answer is read, in bytes (rule webhooks.47). */
const mostRead = 16 * 1_024;

/** The pause between the parts of a slow payload, in milliseconds. */
const pause = 400;

/** A new id of deliveries or events. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('base64url')}`;
}

/** Sends deliveries to a receiver as the service does. */
export class Sender {
  readonly #url: URL;
  readonly #secret: string | undefined;
  readonly #world: World;

  /** @param secret the signing secret; undefined for deliveries without a signature */
  constructor(url: URL, secret: string | undefined, world: World) {
    this.#url = url;
    this.#secret = secret;
    this.#world = world;
  }

  get isSigning(): boolean {
    return this.#secret !== undefined;
  }

  async send(trial: Trial): Promise<Reply> {
    const body = JSON.stringify(this.#payload(trial));
    const late = this.#world.deadline(timeout);
    try {
      return { status: await this.#post(body, this.#headers(trial, body), trial.parts ?? 1, late), problem: null, isUnreachable: false };
    } catch (error) {
      if (late.aborted) return { status: null, problem: 'no answer within 10 seconds', isUnreachable: false };
      const code = networkErrorCode(error);
      return {
        status: null,
        problem: describeNetworkError(code) ?? (code || 'the connection failed'),
        isUnreachable: code !== 'ECONNRESET',
      };
    }
  }

  #payload({ event = 'New Message', happenedLater = 0, size = 0 }: Trial): object {
    const example = exampleOf(jsonSchema(payloadSchema(event), 'input')) as object;
    const payload = { ...example, event_id: newId('evt'), occurred_at: iso(this.#world.now() + happenedLater) };
    const missing = size - JSON.stringify(payload).length;
    return missing > 0 ? { ...payload, filler: 'x'.repeat(missing) } : payload;
  }

  #headers(
    { event = 'New Message', id = newId('dlv'), attempt = 1, secret, signedLater = 0 }: Trial,
    body: string,
  ): Record<string, string> {
    return {
      ...deliveryHeaders(id, attempt, event),
      'Content-Length': String(Buffer.byteLength(body)),
      ...signatureHeaders(secret ?? this.#secret ?? null, this.#world.now() + signedLater, body),
    };
  }

  async #post(body: string, headers: Record<string, string>, parts: number, signal: AbortSignal): Promise<number> {
    const { sleep } = this.#world;
    const start = this.#url.protocol === 'https:' ? tlsRequest : plainRequest;
    const sent = start(this.#url, { method: 'POST', headers, signal, agent: false });
    const answered = new Promise<number>((resolve, reject) => {
      sent.on('error', reject);
      sent.on('response', (response) => {
        const { statusCode = 0 } = response;
        let read = 0;
        response.on('data', (chunk: Buffer) => {
          read += chunk.length;
          // The service reads no more either.
          if (read < mostRead) return;
          resolve(statusCode);
          sent.destroy();
        });
        response.on('end', () => resolve(statusCode));
        response.on('error', reject);
      });
    });
    const bytes = Buffer.from(body);
    const length = Math.ceil(bytes.length / parts);
    for (let part = 0; part < parts && !sent.destroyed; part++) {
      if (part > 0) await Promise.race([sleep(pause), answered]);
      sent.write(bytes.subarray(part * length, (part + 1) * length));
    }
    sent.end();
    return await answered;
  }
}
