/** How many standard deviations the share of a sample may be above that of the whole: 97.5 % of samples are not. */
const deviations = 1.96;

/**
 * The share that a sample makes certain: the lower end of its Wilson interval. Of many small samples, some have a large share by
 * chance; ranked by this, a small sample must be much better than a large one.
 * @param part at least 0; more than the whole counts as the whole
 * @param whole the size of the sample, above 0
 */
export function certainShare(part: number, whole: number): number {
  const share = Math.min(part / whole, 1);
  const square = deviations ** 2;
  const spread = deviations * Math.sqrt((share * (1 - share)) / whole + square / (4 * whole ** 2));
  return (share + square / (2 * whole) - spread) / (1 + square / whole);
}
