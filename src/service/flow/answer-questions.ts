import { parentPort } from 'node:worker_threads';

/** Answers the questions that a `Thread` asks this program. What `work` throws ends the thread, and fails the question. */
export function answerQuestions<Question, Answer>(work: (question: Question) => Answer | Promise<Answer>): void {
  const answer = async (question: Question) => parentPort?.postMessage(await work(question));
  parentPort?.on('message', (question: Question) => void answer(question));
}
