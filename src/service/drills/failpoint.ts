import { ServiceUnavailable } from '../errors.ts';

/** A change is durable; its answer has not been sent. */
export const requestFailpoints = ['request.committed'] as const;

/** A new store is durable; its keys have not been shown. */
export const storeFailpoints = ['store.created'] as const;

/** The places at which a drill can kill the process, to prove that nothing is lost there. Each area adds its own. */
export interface FailpointNames {
  request: (typeof requestFailpoints)[number];
  store: (typeof storeFailpoints)[number];
}

/** Called each time execution passes a place. */
export type Failpoint = (name: FailpointNames[keyof FailpointNames]) => void;

/**
 * Reads a failpoint: the name of a place, and which time of passing it kills the process, as in `delivery.sent:3`.
 * @param places the names of all places
 * @throws ServiceUnavailable when there is no such place
 */
export function parseFailpoint(text: string, places: readonly string[], kill: () => void): Failpoint {
  const [, name = '', count = '1'] = /^([a-z.]+)(?::([1-9]\d{0,8}))?$/.exec(text) ?? [];
  if (!places.includes(name)) throw new ServiceUnavailable(`There is no failpoint '${text}'. Known failpoints: ${places.join(', ')}`);
  let left = Number(count);
  return (passed) => {
    if (passed === name && --left === 0) kill();
  };
}
