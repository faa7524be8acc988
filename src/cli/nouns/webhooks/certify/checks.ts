import { eventNames } from '../../../../contract/areas/webhooks/event-names.ts';
import { inParallel } from '../../../../contract/in-parallel.ts';
import { newId, type Reply, type Sender } from './sender.ts';

/** One thing that a receiver must do right. */
export interface Check {
  readonly name: string;
  readonly sent: string;
  readonly expected: string;
  /** The rule of docs/interface/webhooks.md. */
  readonly rule: number;
  /** Whether it needs the signing secret. */
  readonly isAboutSignatures?: true;
  /** Tries the receiver. Returns what came back, by what was sent where that is more than one thing. */
  readonly run: (sender: Sender) => Promise<readonly Outcome[]>;
  readonly accepts: (reply: Reply) => boolean;
}

/** What came back to one delivery. */
export interface Outcome {
  /** What was sent, if the check sends several. */
  readonly label?: string;
  readonly reply: Reply;
}

/** How many deliveries of the 24 events are on their way at once. */
const eventsAtOnce = 4;

const tenMinutes = 600_000;

const received = { expected: '2xx within 10 seconds', accepts: ({ status }: Reply) => status !== null && status >= 200 && status < 300 };
const refused = { expected: '4xx: it is not genuine', accepts: ({ status }: Reply) => status !== null && status >= 400 && status < 500 };

/** What a receiver is tried with, in this order. */
export const checks: readonly Check[] = [
  {
    ...received,
    name: 'delivery',
    sent: 'a delivery as in production',
    rule: 48,
    run: async (sender) => [{ reply: await sender.send({}) }],
  },
  {
    ...refused,
    name: 'wrong signature',
    sent: 'a delivery signed with another secret',
    rule: 77,
    isAboutSignatures: true,
    run: async (sender) => [{ reply: await sender.send({ secret: newId('whsec') }) }],
  },
  {
    ...refused,
    name: 'old timestamp',
    sent: 'a delivery signed 10 minutes ago',
    rule: 78,
    isAboutSignatures: true,
    run: async (sender) => [{ reply: await sender.send({ signedLater: -tenMinutes }) }],
  },
  {
    ...refused,
    name: 'future timestamp',
    sent: 'a delivery signed 10 minutes ahead',
    rule: 78,
    isAboutSignatures: true,
    run: async (sender) => [{ reply: await sender.send({ signedLater: tenMinutes }) }],
  },
  {
    ...received,
    name: 'repeated delivery',
    sent: 'the same delivery twice',
    rule: 49,
    run: async (sender) => {
      const id = newId('dlv');
      const first = await sender.send({ id });
      return [
        { label: 'first', reply: first },
        { label: 'again', reply: await sender.send({ id }) },
      ];
    },
  },
  {
    ...received,
    name: 'order',
    sent: 'two deliveries, the later event first',
    rule: 50,
    run: async (sender) => {
      const later = await sender.send({ event: 'Task Completed' });
      return [
        { label: 'later event', reply: later },
        { label: 'earlier event', reply: await sender.send({ event: 'Task Created', happenedLater: -60_000 }) },
      ];
    },
  },
  {
    ...received,
    name: 'slow body',
    sent: 'a body that arrives in 5 parts',
    rule: 45,
    run: async (sender) => [{ reply: await sender.send({ parts: 5 }) }],
  },
  {
    ...received,
    name: 'attempt 2',
    sent: 'attempt 2 of a delivery, whose first attempt was lost',
    rule: 40,
    run: async (sender) => [{ reply: await sender.send({ attempt: 2 }) }],
  },
  {
    ...received,
    name: 'large payload',
    sent: 'a payload of 64 KiB, with a field that it does not know',
    rule: 38,
    run: async (sender) => [{ reply: await sender.send({ size: 64 * 1_024 }) }],
  },
  {
    ...received,
    name: 'events',
    sent: `a delivery of each of the ${eventNames.length} events`,
    rule: 28,
    run: async (sender) =>
      await inParallel(eventNames, eventsAtOnce, async (event) => ({ label: event, reply: await sender.send({ event }) })),
  },
  {
    ...received,
    name: '50 at once',
    sent: '50 deliveries at once',
    rule: 50,
    run: async (sender) => await Promise.all(Array.from({ length: 50 }, async () => ({ reply: await sender.send({}) }))),
  },
];
