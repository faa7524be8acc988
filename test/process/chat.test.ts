import { describe, expect } from 'vitest';
import { it } from '../support/home-test.ts';
import type { Home } from '../support/terminal-world.ts';
import { keys, Terminal } from '../support/terminal.ts';

it.beforeEach(async ({ home }) => {
  await home.sandbox('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
  await home.sandbox('agents', 'create', 'Ada');
});

const open = (home: Home) => new Terminal(['sandbox', 'chat', '--profile', 'sandbox'], { HOME: home.path, NO_COLOR: '1', LANG: 'C.UTF-8' });

describe('sandbox chat in a terminal', () => {
  it('shows the answer to each message and the reason, and continues after an error', async ({ home }) => {
    const terminal = open(home);
    await terminal.waitFor('You are +14155550123. Write to the account; Ctrl-D ends.');
    terminal.type(`Hello${keys.enter}`);
    await terminal.waitFor("Ada\n  Hello, I'm Ada.");
    await terminal.waitFor('  single_agent: Ada is the only active agent');
    await terminal.waitFor('  greeting, 1 credit used');
    terminal.type(`/nope${keys.enter}`);
    await terminal.waitFor("Error: '/nope' is not a command here");
    terminal.type(`/team I am Eve${keys.enter}`);
    await terminal.waitFor('A person has taken over the conversation.');
    terminal.type(`Hello?${keys.enter}`);
    await terminal.waitFor('  Nobody answers.\n  takeover: A person took the conversation over');
    await terminal.waitFor('You>');
    terminal.type('\u0004');
    expect(await terminal.end()).toBe(0);
  });

  it('ends with 130 when it is interrupted', async ({ home }) => {
    const terminal = open(home);
    await terminal.waitFor('You>');
    terminal.type(keys.interrupt);
    expect(await terminal.end()).toBe(130);
  });
});
