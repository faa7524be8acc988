import * as z from 'zod';
import { errorCodes } from '../errors/codes.ts';

/** Why a call failed. */
export const callError = () =>
  z.object({
    code: z.enum(errorCodes).describe('why it failed, as in the error log'),
    text: z.string().describe('why it failed, in a sentence'),
  });

/** What a function or a tool returned: null when it returned nothing. */
const result = () => z.unknown().describe('what was returned; null for nothing');

/** The answer of a test. */
export const testedCall = () => ({
  ok: z.boolean().describe('whether the call succeeded'),
  duration_ms: z.int().describe('how long it took, in milliseconds'),
  result: result(),
  error: callError().nullable().describe('why it failed; null when it succeeded'),
});

/** A call that an agent made while it wrote an answer. */
export const toolCall = () =>
  z.object({
    name: z.string().describe('the name of the function, or of the tool with that of its server'),
    arguments: z.unknown().describe('the arguments that the model gave'),
    ok: z.boolean().describe('whether the call succeeded'),
    result: z.unknown().describe('what was returned, or why it failed; longer ones are cut off'),
    duration_ms: z.int().describe('how long it took, in milliseconds'),
  });

export type ToolCall = z.output<ReturnType<typeof toolCall>>;
