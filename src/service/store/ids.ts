import { randomInt } from 'node:crypto';
import { seededId } from './randomness.ts';

/** The 64 digits of an id, in the order in which a database compares them. */
const digits = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';

/** The length of a number of 24 bits, in digits. */
const numberLength = 4;

/** The time of the latest id, how ids of that millisecond begin, and the number that the latest id ends with. */
let latest = { time: 0, start: '', number: 0 };

/**
 * Creates an id such as `tag_mfk3v8wqXw3aB7_9`: a prefix for the kind of record, the time in base 36, a random number, and a
 * number that starts at random and counts the ids of the millisecond. So a process creates ids in ascending order, unless the clock
 * is set back: in an index, each is inserted at the end, and records in the order of their ids are in the order of creation.
 */
export function newId(prefix: string): string {
  const given = seededId(prefix);
  if (given) return `${prefix}_${given.instant.toString(36)}${inDigits(given.start & 0xffffff)}${inDigits(given.count)}`;
  // Real time, because no record shows it: it keeps new ids together, in the order of creation.
  // oxlint-disable-next-line project/restricted-syntax -- ids of a frozen clock must be close to each other too
  const time = Date.now();
  if (time === latest.time) latest.number++;
  else latest = { time, start: time.toString(36) + inDigits(randomInt(2 ** 24)), number: randomInt(2 ** 23) };
  return `${prefix}_${latest.start}${inDigits(latest.number)}`;
}

/** A number of 24 bits as four digits. */
function inDigits(number: number): string {
  const digit = (shift: number) => digits.charAt((number >>> shift) & 63);
  return digit(18) + digit(12) + digit(6) + digit(0);
}

/** When an id was created, in real time to the millisecond, as sortable text. */
export function timeOfId(id: string): string {
  return id.slice(id.indexOf('_') + 1, -2 * numberLength);
}
