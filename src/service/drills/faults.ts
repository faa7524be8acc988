import { createHash } from 'node:crypto';
import type { Answer } from '../../contract/endpoint.ts';
import type { addFault } from '../../contract/areas/sandbox/endpoints.ts';

/** A fault in force (5/A2, /sandbox/faults), with what it has counted. */
export type Fault = Answer<typeof addFault>['fault'] & {
  /** How many requests it matched. */
  readonly matched: number;
  /** How many of these it hit. */
  readonly fired: number;
};

export type Faults = readonly Fault[];

/** Whether a fault is meant for a request; `path` is without the version prefix (ruling: a path that ends in `*` is a prefix). */
export function matches(fault: Fault, method: string, path: string): boolean {
  if (fault.reporting_database) return false;
  const wanted = fault.match ?? {};
  if (wanted.method !== undefined && wanted.method !== method) return false;
  if (wanted.path === undefined) return true;
  return wanted.path.endsWith('*') ? path.startsWith(wanted.path.slice(0, -1)) : path === wanted.path;
}

/** Whether a fault hits every request that it matches, so that nothing needs counting. */
export function isConstant(fault: Fault): boolean {
  return fault.times === undefined && fault.rate === undefined;
}

/**
 * Lets a fault meet one more request that it matches.
 * @returns whether it hits, and what is left of it: null when it is used up
 */
export function meet(fault: Fault): { hit: boolean; left: Fault | null } {
  const matched = fault.matched + 1;
  const hit = fault.rate === undefined || draw(fault.seed ?? 0, matched) < fault.rate;
  const fired = fault.fired + (hit ? 1 : 0);
  return { hit, left: fault.times !== undefined && fired >= fault.times ? null : { ...fault, matched, fired } };
}

/** The nth number of a seed's sequence, from 0 up to 1: the same on every machine and in every process. */
function draw(seed: number, nth: number): number {
  return createHash('sha256').update(`${seed}:${nth}`).digest().readUInt32BE() / 2 ** 32;
}
