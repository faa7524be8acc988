import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { instant, timestamp } from '../../fields.ts';
import { choiceOfFields } from '../../issues.ts';
import { shared } from './shared.ts';

const clockReading = () =>
  z.object({ now: timestamp().describe('the time of the clock'), frozen: z.boolean().describe('whether it stands still') });

export const getClock = endpoint({
  ...shared,
  name: 'sandbox.clock.get',
  method: 'GET',
  path: '/sandbox/clock',
  summary: "Read the service's clock",
  responses: { 200: clockReading },
});

export const setClock = endpoint({
  ...shared,
  name: 'sandbox.clock.set',
  method: 'POST',
  path: '/sandbox/clock',
  summary: 'Freeze the clock, now or at an instant, or let it run',
  body: () =>
    z
      .object({
        now: instant().optional().describe('freeze the clock at this ISO 8601 instant, which must not be in the past'),
        frozen: z.boolean().optional().describe('whether the clock is frozen'),
      })
      .refine((body) => body.now !== undefined || body.frozen !== undefined, choiceOfFields("give 'now' or 'frozen'"))
      .refine(
        (body) => body.now === undefined || body.frozen !== false,
        choiceOfFields("'now' freezes the clock: leave out 'frozen': false"),
      ),
  responses: { 200: clockReading },
});

export const advanceClock = endpoint({
  ...shared,
  name: 'sandbox.clock.advance',
  method: 'POST',
  path: '/sandbox/clock/advance',
  summary: 'Move a frozen clock forward and run the jobs that fall due, in order',
  // A request can run and list every job of a year.
  answerLimits: { bytes: 256 * 1024 * 1024, milliseconds: 600_000 },
  body: () =>
    z.object({
      seconds: z.number().min(0).describe('seconds to move the clock forward'),
    }),
  responses: {
    200: () =>
      z.object({
        now: timestamp(),
        fired: z.array(
          z.object({
            kind: z.string(),
            id: z.string(),
            at: timestamp(),
            message_id: z.string().nullable().optional().describe('the comment that a comment_reply answers'),
            public_reply: z.string().nullable().optional().describe('the text that it wrote below the comment'),
          }),
        ),
      }),
  },
  errors: [409],
});
