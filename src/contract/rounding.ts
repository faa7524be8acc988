/** Rounds to a whole number; a half goes to the even neighbour. */
export function roundHalfEven(value: number): number {
  const whole = Math.floor(value);
  const rest = value - whole;
  return rest > 0.5 || (rest === 0.5 && whole % 2 !== 0) ? whole + 1 : whole;
}

/** A share from 0 to 1, to 6 places; 0 of nothing. */
export function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : roundHalfEven((part / whole) * 1e6) / 1e6;
}
