import { ServiceUnavailable } from '../errors.ts';

/**
 * The places at which a drill can kill the process, to prove that nothing is lost there:
 * - `request.committed`: a change is durable, and its answer is not yet sent
 * - `delivery.leased`: a delivery is taken from the queue, and not yet sent
 * - `delivery.sent`: a delivery is sent, and what became of it not yet written
 * - `broadcast.leased`: a part of a broadcast is taken from the queue, and nothing of it sent
 * - `broadcast.sending`: a part of a broadcast is sent, and not yet durable
 */
const failpoints = ['request.committed', 'delivery.leased', 'delivery.sent', 'broadcast.leased', 'broadcast.sending'] as const;

type FailpointName = (typeof failpoints)[number];

/** Told whenever a place is passed. */
export type Failpoint = (name: FailpointName) => void;

/**
 * Reads where a drill kills: the name of a place, and how many times it is passed before, as in `delivery.sent:3`.
 * @throws ServiceUnavailable when there is no such place
 */
export function parseFailpoint(text: string, kill: () => void): Failpoint {
  const [, name, count = '1'] = /^([a-z.]+)(?::([1-9]\d{0,8}))?$/.exec(text) ?? [];
  if (!failpoints.some((each) => each === name))
    throw new ServiceUnavailable(`There is no failpoint '${text}'. Known failpoints: ${failpoints.join(', ')}`);
  let left = Number(count);
  return (passed) => {
    if (passed === name && --left === 0) kill();
  };
}
