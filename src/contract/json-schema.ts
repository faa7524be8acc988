import * as z from 'zod';

/** A part of a JSON Schema, with the field's default from the contract. */
interface Described {
  description?: string;
  defaultText?: string;
}

/** The length of the path to a field of the top-level object: `properties` and its name. */
const ownDepth = 2;

/**
 * The JSON Schema of a value before parsing (`input`) or after parsing (`output`). Descriptions include the defaults of fields.
 * @param hasDefaults false for an update, which keeps the fields that the request omits. Nested fields have defaults even then,
 * because a nested value is replaced as a whole.
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
