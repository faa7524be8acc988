import { createHash } from 'node:crypto';
import type { Fault } from '../clock/table.ts';

/**
 * Whether a fault matches a request. @param path the path without the version prefix; a fault's path that ends in `*` matches as
 * a prefix
 */
export function matchesFault(fault: Fault, method: string, path: string): boolean {
  if (fault.reporting_database) return false;
  const wanted = fault.match ?? {};
  if (wanted.method !== undefined && wanted.method !== method) return false;
  if (wanted.path === undefined) return true;
  return wanted.path.endsWith('*') ? path.startsWith(wanted.path.slice(0, -1)) : path === wanted.path;
}

/** Whether a fault hits every request that it matches. Such a fault needs no counters. */
export function isConstant(fault: Fault): boolean {
  return fault.times === undefined && fault.rate === undefined;
}

/**
 * Counts one more request that a fault matches.
 * @returns whether the fault hits it, and the updated fault; undefined once it is used up
 */
export function countMatch(fault: Fault): { hit: boolean; left: Fault | undefined } {
  const matched = fault.matched + 1;
  const hit = fault.rate === undefined || draw(fault.seed ?? 0, matched) < fault.rate;
  const fired = fault.fired + (hit ? 1 : 0);
  const isUsedUp = fault.times !== undefined && fired >= fault.times;
  return { hit, left: isUsedUp ? undefined : { ...fault, matched, fired } };
}

/** The nth random number of a seed, from 0 up to, but not including, 1. The same on every machine and in every process. */
function draw(seed: number, nth: number): number {
  return createHash('sha256').update(`${seed}:${nth}`).digest().readUInt32BE() / 2 ** 32;
}
