import { expect, it } from 'vitest';
import { listen } from '../../../src/service/http/server.ts';

it('gives each of many requests at once its own answer, also beside one that cannot be written', async () => {
  const errors: unknown[] = [];
  const server = await listen({ host: '127.0.0.1', port: 0, exposeSandbox: false, onError: (error) => errors.push(error) });
  server.answerWith(async ({ path }) => ({ status: 200, headers: { 'x-path': path === '/7' ? 'a\nb' : path }, body: `answer to ${path}` }));
  const answers = await Promise.allSettled(
    Array.from({ length: 100 }, async (_, number) => await (await fetch(`${server.origin}/${number}`)).text()),
  );
  expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : 'closed'))).toEqual(
    Array.from({ length: 100 }, (_, number) => (number === 7 ? 'closed' : `answer to /${number}`)),
  );
  expect(errors).toMatchObject([{ code: 'ERR_INVALID_CHAR' }]);
  await server.close(0);
});
