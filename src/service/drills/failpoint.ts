import { ServiceUnavailable } from '../errors.ts';

/** After a change is durable, before its answer is sent. */
export const requestFailpoints = ['request.committed'] as const;

/** After each statement of a migration; and after a new store is durable, before its keys are shown. */
export const storeFailpoints = ['store.migrating', 'store.created'] as const;

/** The places at which a drill can kill the process, to prove that nothing is lost there. Areas add their own. */
export interface FailpointNames {
  request: (typeof requestFailpoints)[number];
  store: (typeof storeFailpoints)[number];
}

/** Called each time execution passes a place. */
export type Failpoint = (name: FailpointNames[keyof FailpointNames]) => void;

/**
 * Parses a failpoint: the name of a place, and the number of the pass that kills the process, as in `delivery.sent:3`.
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
