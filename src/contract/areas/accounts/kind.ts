import * as z from 'zod';

/** Agencies manage sub-accounts; standard accounts have none. */
export const accountKind = () => z.enum(['standard', 'agency']);
