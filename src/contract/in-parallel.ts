/**
 * Runs work on each item, at most `atOnce` at a time.
 * @returns the results of the work, in the order of the items
 * @throws the first error that the work threw, once no work is running any more
 */
export async function inParallel<Item, Value>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Value>,
): Promise<Value[]> {
  const values: Value[] = [];
  const failures: unknown[] = [];
  const queue = items.entries();
  const lane = async () => {
    for (const [index, item] of queue) {
      if (failures.length > 0) return;
      try {
        values[index] = await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
  if (failures.length > 0) throw failures[0];
  return values;
}
