import * as z from 'zod';

/** A part of a JSON Schema, with the default that its field has in the contract. */
interface Described {
  description?: string;
  defaultText?: string;
}

/** The steps of the path to a field of the object itself: `properties` and its name. */
const ownDepth = 2;

/**
 * The JSON Schema of what is sent (`input`) or of what was read (`output`). Descriptions name the defaults of fields.
 * @param hasDefaults false for an update, which leaves alone the fields that it is not given. Those within its values have
 *   defaults all the same, because a value is replaced as a whole.
 */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output', hasDefaults = true): Record<string, unknown> {
  const override = ({ jsonSchema: written, path }: { jsonSchema: Described; path: readonly unknown[] }) => {
    if (written.defaultText !== undefined && (hasDefaults || path.length > ownDepth))
      written.description = `${written.description} (default: ${written.defaultText})`;
    delete written.defaultText;
  };
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override });
  return rest;
}
