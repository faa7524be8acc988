// A thread that makes the steps of a history, while the main thread writes the steps before.
import { parentPort, workerData } from 'node:worker_threads';
import { StepMaker } from './maker.ts';
import { packStep } from './step.ts';
import type { StepTask, ThreadSource } from './steps.ts';

const { source, engine } = workerData as ThreadSource;
const maker = new StepMaker(source);
let made: Promise<void> = Promise.resolve();

parentPort?.on('message', ({ number, conflict }: StepTask) => {
  made = made.then(async () => parentPort?.postMessage(packStep(await maker.make(number, conflict), engine)));
});
