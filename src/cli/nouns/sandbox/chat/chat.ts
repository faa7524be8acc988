import { createInterface } from 'node:readline';
import type { ChannelName } from '../../../../contract/areas/channels/names.ts';
import { listWidgets } from '../../../../contract/areas/widgets/endpoints.ts';
import type { Options, Session } from '../../../verb/noun.ts';
import { exitCodes } from '../../../errors.ts';
import { toCliError } from '../../../explain.ts';
import { messageLine } from '../../../output/cell.ts';
import { penFor } from '../../../output/pen.ts';
import type { Page, Result, ResultRow } from '../../../output/result.ts';
import { screenOf } from '../../../output/screen.ts';
import { readAgents } from '../../../routing/entry-points.ts';
import { requireAccountId } from '../../../lookups/sandbox-account.ts';
import { commands, Conversation, defaultAddress } from './conversation.ts';
import { turnText } from './turn-text.ts';

/**
 * Starts a conversation with the account in which the user is the contact. On a terminal, it runs until Ctrl-D; otherwise, each
 * line of stdin is a message.
 * @throws CliError 2 if a line of stdin is an invalid command, 130 if interrupted
 */
export async function chat(session: Session, options: Options): Promise<Result> {
  const { targets, world } = session;
  const channel = (options.channel as ChannelName | undefined) ?? 'chatapp';
  const from = (options.as as string | undefined) ?? defaultAddress(channel);
  const sandbox = await targets.sandboxClient();
  const place = { sandbox, client: await targets.client(), accountId: await requireAccountId(undefined, session), channel };
  const conversation = new Conversation(place, from);
  if (world.stdin.isTTY && world.stdout.isTTY) return await talk(session, conversation, from);
  return { kind: 'list', field: 'turns', pages: readTurns(session, conversation), paged: false };
}

/** Processes the lines of stdin. Errors include the line number. */
async function* readTurns({ world }: Session, conversation: Conversation): AsyncGenerator<Page> {
  let number = 0;
  for await (const line of createInterface({ input: world.stdin, crlfDelay: Infinity })) {
    number++;
    if (line.trim() === '') continue;
    try {
      yield {
        rows: [(await conversation.take(number === 1 ? line.replace(/^\uFEFF/, '') : line)) as unknown as ResultRow],
        next_cursor: null,
      };
    } catch (error) {
      const plain = toCliError(error);
      throw plain.with({ message: `Line ${number}: ${plain.message}` });
    }
  }
}

/** Says where visitors of websites can have such a conversation; empty if nowhere. */
async function onWebsite({ targets }: Session): Promise<string> {
  const client = await targets.client();
  const widgets = await client.all(listWidgets, {}).catch(() => []);
  const chats = widgets.filter(({ kind, enabled }) => kind === 'chat' && enabled);
  return chats.map(({ name, page_url: url }) => `The widget '${messageLine(name)}' is a chat on websites: ${url}\n`).join('');
}

/** Runs a conversation on a terminal. If a line fails, the error is printed and the conversation continues. */
async function talk(session: Session, conversation: Conversation, from: string): Promise<Result> {
  const { world, targets, globals } = session;
  const { stdin, stdout } = world;
  const screen = () => screenOf(stdout, world, globals.wide);
  const pen = await penFor(screen());
  const agents = await readAgents(await targets.client());
  const lines = createInterface({ input: stdin, output: stdout, terminal: true, prompt: pen('You> ', 'bold') });
  let isInterrupted = false;
  const wasInterrupted = () => isInterrupted;
  lines.on('SIGINT', () => {
    isInterrupted = true;
    lines.close();
  });
  stdout.write(`You are ${from}. Write to the account; Ctrl-D ends.\nCommands: ${commands.join(', ')}\n${await onWebsite(session)}\n`);
  lines.prompt();
  for await (const line of lines) {
    if (line.trim() !== '') stdout.write(await answer(line));
    if (!wasInterrupted()) lines.prompt();
  }
  stdout.write('\n');
  return { kind: 'nothing', exitCode: wasInterrupted() ? exitCodes.interrupted : exitCodes.done };

  async function answer(line: string): Promise<string> {
    try {
      return await turnText(await conversation.take(line), agents, screen());
    } catch (error) {
      const { lines, hintLines } = toCliError(error);
      const [message = '', ...others] = [...lines, ...hintLines].map(messageLine);
      return `${[pen(`Error: ${message}`, 'red'), ...others].join('\n')}\n\n`;
    }
  }
}
