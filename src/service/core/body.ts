import { ApiError } from './errors.ts';

/**
 * Reads a request's body up to a size.
 * @throws ApiError 413 above it
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () => new ApiError(413, `The body is larger than ${maxBytes} bytes`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge();
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Reads a request's body as a JSON object; an empty body is an empty object.
 * @throws ApiError 400 when it is not one, 413 above `maxBytes`
 */
export async function readJson(request: Request, maxBytes: number): Promise<Record<string, unknown>> {
  const length = request.headers.get('content-length');
  // With a length given, the body cannot be longer than it says.
  const text =
    length !== null && Number(length) <= maxBytes ? await request.text() : new TextDecoder().decode(await readBytes(request, maxBytes));
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError(400, 'The body is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ApiError(400, 'The body must be a JSON object');
  return value as Record<string, unknown>;
}
