import * as z from 'zod';
import { type Endpoint, schemaOf } from '../../contract/endpoint.ts';
import { receiverUrlFlaw } from '../../contract/receiver-url.ts';
import { name, text } from '../../contract/fields.ts';
import { limits } from '../../contract/limits.ts';
import type { Kind } from '../kind.ts';

/**
 * The fields of a request as optional fields of a record in files.
 * @param left the fields that files do not have, or have in another form
 */
export function requestFields(endpoint: Endpoint, left: readonly string[] = []): z.ZodRawShape {
  const { shape } = schemaOf(endpoint.body as () => z.ZodObject);
  const kept = Object.entries(shape).filter(([field]) => !left.includes(field));
  return Object.fromEntries(kept.map(([field, schema]) => [field, (schema as z.ZodType).optional()]));
}

/** Opening hours in files, where null takes away a day of the bases. */
export function hoursInFiles(availability: z.ZodObject): z.ZodType {
  const days = Object.entries(availability.shape).map(([day, windows]) => [day, (windows as z.ZodType).nullable()]);
  return availability.extend(Object.fromEntries(days) as z.ZodRawShape).optional();
}

/** A function that computes its value on the first call and caches it. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** A reference to another record by name. */
export const reference = (what: string) => name().describe(`the name of ${what}`);

/** The address of a webhook receiver. */
export const receiverUrl = () =>
  text().superRefine((value, context) => {
    const flaw = receiverUrlFlaw(value);
    if (flaw !== undefined) context.addIssue({ code: 'custom', message: flaw });
  });

/** The fields that records of all kinds can have in files. */
export const commonFields = ({ identity: { hasFixedName, isOnly } }: Pick<Kind, 'identity'>) => ({
  ...(!hasFixedName && { was: name(limits.textLength).optional().describe('its old name, to rename it; ignored once it is renamed') }),
  ...(!isOnly && { id: z.string().min(1).optional().describe('the id of the record, if several have the same name') }),
  absent: z.literal(true).optional().describe('removes a record that comes from a base'),
});
