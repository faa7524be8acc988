import { ServiceUnavailable } from '../errors.ts';

/**
 * The places at which a drill can kill the process, to prove that nothing is lost there:
 * - `request.committed`: a change is durable, its answer is not sent yet
 * - `delivery.leased`: a delivery has been leased, nothing is sent yet
 * - `delivery.sent`: a delivery has been sent, its outcome is not written yet
 * - `broadcast.leased`: a part of a broadcast has been leased, nothing of it is sent yet
 * - `broadcast.sending`: a part of a broadcast has been sent, the transaction is not committed yet
 */
const failpoints = ['request.committed', 'delivery.leased', 'delivery.sent', 'broadcast.leased', 'broadcast.sending'] as const;

type FailpointName = (typeof failpoints)[number];

/** Called whenever a place is passed. */
export type Failpoint = (name: FailpointName) => void;

/**
 * Reads a failpoint: the name of a place and the pass at which the process is killed, as in `delivery.sent:3`.
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
