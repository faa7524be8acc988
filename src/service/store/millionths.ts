/** Converts credits to whole millionths for the store, so that sums are exact. */
export function toMillionths(credits: number): number {
  return Math.round(credits * 1e6);
}

/** Converts millionths to credits, for requests and answers. */
export function toCredits(millionths: number): number {
  return millionths / 1e6;
}
