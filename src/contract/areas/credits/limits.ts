/** The largest balance that can be set, in credits. The limit keeps sums exact. */
export const balanceMax = 1_000_000_000;
