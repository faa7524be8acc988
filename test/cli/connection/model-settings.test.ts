import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { it } from '../../support/home-test.ts';
import { Receiver } from '../../support/receiver.ts';
import type { Home } from '../../support/terminal-world.ts';
let server: Receiver;

beforeAll(async () => {
  server = await Receiver.open();
  server.behaviour = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ message: { content: 'From the model' }, finish_reason: 'stop' }] }));
  };
});

afterAll(async () => {
  await server.close();
});

beforeEach(() => {
  server.take();
});

const secret = 'sk-7Hq2-secret';

/** Asks an agent in the profile `sandbox`. */
async function ask(home: Home, env: Record<string, string>) {
  home.env = { MSGCTL_PROFILE: 'sandbox' };
  const { agent_id: agent } = (await home.run('agents', 'create', 'Ada', '-o', 'json')).json as { agent_id: string };
  home.env = { ...home.env, ...env };
  return await home.run('sandbox', 'ask', agent, 'When do you open?', '-o', 'json');
}

describe('the environment', () => {
  // Proves rules serve.62, serve.63, serve.64, serve.65.
  it('names the model that writes for agents', async ({ home }) => {
    const env = {
      MSGCTL_AI_BASE_URL: server.url('/v1'),
      MSGCTL_AI_API_KEY: secret,
      MSGCTL_AI_MODEL: 'large',
      MSGCTL_AI_MODEL_STANDARD: 'medium',
    };
    const { code, json, stdout, stderr } = await ask(home, env);
    expect([code, json]).toEqual([0, { answer: 'From the model', source: 'model', faqs: [] }]);
    expect(stdout + stderr).not.toContain(secret);
    expect(server.received).toMatchObject([
      { path: '/v1/chat/completions', headers: { authorization: `Bearer ${secret}` }, body: { model: 'medium' } },
    ]);
  });

  it('need not name a key or a model per tier', async ({ home }) => {
    expect((await ask(home, { MSGCTL_AI_BASE_URL: server.url('/v1'), MSGCTL_AI_MODEL: 'large' })).code).toBe(0);
    expect(server.received[0]?.headers.authorization).toBeUndefined();
    expect(server.received[0]?.body.model).toBe('large');
  });

  it('leaves answers to the built-in rules without an address', async ({ home }) => {
    expect((await ask(home, { MSGCTL_AI_BASE_URL: ' ', MSGCTL_AI_MODEL: 'large' })).json).toMatchObject({ source: 'greeting' });
    expect(server.received).toEqual([]);
  });

  // Proves rule serve.65.
  it.for([
    [{ MSGCTL_AI_BASE_URL: 'models.example' }, /MSGCTL_AI_BASE_URL must be/],
    [{ MSGCTL_AI_BASE_URL: 'ftp://models.example' }, /MSGCTL_AI_BASE_URL must be/],
    [{ MSGCTL_AI_BASE_URL: `https://user:${secret}@models.example` }, /MSGCTL_AI_BASE_URL must be/],
    [{ MSGCTL_AI_BASE_URL: 'https://models.example' }, /MSGCTL_AI_MODEL must name the model/],
    [{ MSGCTL_AI_EMBEDDING_MODEL: 'meaning' }, /MSGCTL_AI_EMBEDDING_MODEL needs MSGCTL_AI_BASE_URL/],
    [{ MSGCTL_AI_BASE_URL: 'https://models.example', MSGCTL_AI_MODEL_MAX: 'x' }, /MSGCTL_AI_MODEL_ECONOMY that of the tier economy/],
    [
      { MSGCTL_AI_BASE_URL: 'https://models.example', MSGCTL_AI_MODEL: 'x', MSGCTL_AI_API_KEY: 'a\nb' },
      /MSGCTL_AI_API_KEY contains a character/,
    ],
  ] as const)('is refused with %j', async ([env, error], { home }) => {
    const { code, stderr } = await ask(home, env);
    expect(code).toBe(2);
    expect(stderr).toMatch(error);
    expect(stderr).not.toContain(secret);
  });
});
