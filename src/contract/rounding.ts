/** Rounds to a whole number; a half is rounded to the even neighbour. */
export function roundHalfEven(value: number): number {
  const whole = Math.floor(value);
  const rest = value - whole;
  return rest > 0.5 || (rest === 0.5 && whole % 2 !== 0) ? whole + 1 : whole;
}

/** A share from 0 to 1, rounded to 6 decimal places; 0 when the whole is 0. */
export function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : roundHalfEven((part / whole) * 1e6) / 1e6;
}
