// A thread that makes the steps of a history, while the main thread writes the steps before.
import { parentPort, workerData } from 'node:worker_threads';
import { type HistorySource, StepMaker } from './maker.ts';
import type { StepTask } from './steps.ts';

const maker = new StepMaker(workerData as HistorySource);
let made: Promise<void> = Promise.resolve();

parentPort?.on('message', ({ number, conflict }: StepTask) => {
  made = made.then(async () => parentPort?.postMessage(await maker.make(number, conflict)));
});
