import { expect, it } from 'vitest';
import { OutOfMemory, Thread } from '../../../src/service/flow/thread.ts';
import { until } from '../../support/until.ts';

const program = new URL('./fixtures/thread.ts', import.meta.url);
const start = () => Thread.start<string, string>(program, 32, 'data');

it('a thread answers one question after another', async () => {
  const thread = await start();
  expect(await thread.ask('one')).toBe('data one');
  expect(await thread.ask('two')).toBe('data two');
  await thread.end();
});

it('an error in a thread fails the question and all later ones', async () => {
  const thread = await start();
  await expect(thread.ask('fail')).rejects.toThrow('It failed');
  await expect(thread.ask('one')).rejects.toThrow('It failed');
});

it('a thread that takes too much memory fails, and the process goes on', async () => {
  const thread = await start();
  await expect(thread.ask('take')).rejects.toThrow(OutOfMemory);
});

it('a thread that never answers tells its processor time, and fails its question when it is ended', async () => {
  const thread = await start();
  const asked = thread.ask('run');
  // Its time cannot be read before it runs.
  await until(async () => (await thread.processorTime().catch(() => 0)) > 50);
  await thread.end();
  await expect(asked).rejects.toThrow('The thread has ended');
});
