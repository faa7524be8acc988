import * as z from 'zod';

/** A part of a JSON Schema, with the field's default from the contract. */
interface Described {
  description?: string;
  defaultText?: string;
  type?: string | string[];
  format?: string;
  minimum?: number;
  maximum?: number;
  acceptsDate?: boolean;
  anyOf?: object[];
}

/** The length of the path to a field of the top-level object: `properties` and its name. */
const ownDepth = 2;

/** Whole numbers of the interface are counts, limits and instants: none is below 0. The bounds of a double say nothing. */
function boundInteger(written: Described): void {
  if (written.minimum === Number.MIN_SAFE_INTEGER) written.minimum = 0;
  if (written.maximum === Number.MAX_SAFE_INTEGER) delete written.maximum;
}

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
    if (written.type === 'integer') boundInteger(written);
    if (written.acceptsDate) {
      // A date stands for its first instant.
      written.anyOf = [{ format: 'date-time' }, { format: 'date' }];
      delete written.format;
    }
    delete written.acceptsDate;
  };
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override });
  return rest;
}
