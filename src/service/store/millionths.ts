/** Converts credits to the whole millionths that the store keeps, so that sums are exact. */
export function toMillionths(credits: number): number {
  return Math.round(credits * 1e6);
}

/** Converts millionths to the credits that requests and answers carry. */
export function toCredits(millionths: number): number {
  return millionths / 1e6;
}
