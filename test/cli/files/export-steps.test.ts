import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { untilInterrupted } from '../../../src/cli/exports/steps.ts';
import type { World } from '../../../src/cli/world.ts';

/** Steps that are only kept by who reads them. */
function steps(count: number): { generator: AsyncGenerator<object>; references: WeakRef<object>[] } {
  const references: WeakRef<object>[] = [];
  async function* generate() {
    for (let step = 0; step < count; step++) {
      const made = { step };
      references.push(new WeakRef(made));
      yield await Promise.resolve(made);
    }
  }
  return { generator: generate(), references };
}

it('steps that are done are not kept while an export waits for an interrupt', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const { generator, references } = steps(20);
  const world = { interrupted: new Promise<void>(() => {}) } as World;
  let left = 0;
  for await (const _ of untilInterrupted(generator, world)) {
    await new Promise(setImmediate);
    collectGarbage();
    left = references.filter((each) => each.deref() !== undefined).length;
  }
  expect(references).toHaveLength(20);
  expect(left).toBeLessThan(4);
});

it('an interrupt ends an export that waits for a step', async () => {
  let interrupt = () => {};
  const world = { interrupted: new Promise<void>((resolve) => (interrupt = resolve)) } as World;
  async function* endless(): AsyncGenerator<object> {
    await new Promise(() => {});
    yield {};
  }
  const first = untilInterrupted(endless(), world).next();
  interrupt();
  await expect(first).rejects.toMatchObject({ exitCode: 130 });
});
