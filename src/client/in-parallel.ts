/**
 * Does work on each item, with at most `atOnce` under way.
 * @returns what the work returned, in the order of the items
 * @throws whatever the work threw first, once nothing is under way any more
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
