import type { Answer } from '../../contract/endpoint.ts';
import type { listMessages } from '../../contract/areas/messages/endpoints.ts';
import { terminalText } from '../output/cell.ts';
import { foldText, rulerFor } from '../output/fold.ts';
import { penFor } from '../output/pen.ts';
import type { ResultRow } from '../output/result.ts';
import type { Screen } from '../output/screen.ts';
import { stateMark } from '../output/states.ts';
import { localTime } from '../output/times.ts';
import { wrapped } from '../output/wrap.ts';
import { callLine } from '../tools/call-line.ts';

type Message = Answer<typeof listMessages>['messages'][number];

/** Display names for the senders of messages. */
export const writers: Readonly<Record<Message['sender'], string>> = {
  contact: 'Contact',
  ai: 'AI agent',
  human: 'Team',
  automated: 'Automated',
};

const writerWidth = Math.max(...Object.values(writers).map(({ length }) => length));

const timeWidth = 5;

/** The text of a message: of a call, what came of it; of media, the name of the file. */
export function textOfMessage({ body, type, tool, media }: Pick<Message, 'body' | 'type' | 'tool' | 'media'>, unicode: boolean): string {
  if (tool) return callLine(tool, unicode);
  if (media) return terminalText([`(${media.mime_type}) ${media.name}`, body].filter((part) => part !== '').join(': '));
  return body === '' ? `(${type})` : terminalText(body);
}

/** What a reader must know about some messages. Whether agents answer again after a person did is not in the interface. */
function explain(messages: readonly Message[]): string[] {
  const isAutomated = messages.some(({ sender }) => sender === 'automated');
  const answer = messages.findLast(({ sender }) => sender === 'ai' || sender === 'human');
  return [
    ...(isAutomated ? ['Automated: sent by a command, a broadcast, a template or a rule.'] : []),
    ...(answer?.sender === 'human'
      ? [
          'A person on the team answered last. If agents have been silent since, this lets them answer again:',
          `msgctl contacts resume ${answer.contact_id}`,
        ]
      : []),
  ];
}

/**
 * Draws messages as a chat: oldest first, with a heading for each day, and the contact's messages in bold.
 * @param remarks what stands below messages, by their ids
 */
export async function drawChat(
  rows: readonly ResultRow[],
  screen: Screen,
  remarks: ReadonlyMap<string, string> = new Map(),
): Promise<string> {
  const messages = (rows as unknown as readonly Message[]).toReversed();
  const texts = messages.map((message) => textOfMessage(message, screen.unicode));
  const ruler = await rulerFor(texts);
  const pen = await penFor(screen);
  const indent = timeWidth + writerWidth + 6;
  const room = Math.max(20, (screen.columns ?? 80) - indent);
  let day = '';
  const lines: string[] = [];
  for (const [index, { id, created_at, sender, status, tool }] of messages.entries()) {
    const [date = '', time = ''] = localTime(Date.parse(created_at), screen.timeZone).split(' ');
    if (date !== day) lines.push(...(day === '' ? [] : ['']), pen(date, 'gray'));
    day = date;
    const text = texts[index] ?? '';
    const isFromContact = sender === 'contact';
    const mark = isFromContact ? undefined : stateMark(tool && !tool.ok ? 'failed' : status, screen.unicode);
    // Shows the state only if the message has not arrived.
    const state = mark && (status === 'failed' || status === 'queued') ? ` [${status}]` : '';
    const [first = '', ...more] = foldText(text + state, room, ruler);
    const symbol = mark ? pen(mark.symbol, mark.color) : ' ';
    const writer = writers[sender].padEnd(writerWidth);
    lines.push(`${pen(time.slice(0, timeWidth), 'gray')}  ${isFromContact ? pen(writer, 'bold') : writer}  ${symbol} ${first}`.trimEnd());
    lines.push(...more.map((line) => ' '.repeat(indent) + line));
    const remark = remarks.get(id);
    if (remark !== undefined)
      lines.push(...foldText(terminalText(remark), room, ruler).map((line) => ' '.repeat(indent) + pen(line, 'gray')));
  }
  const notes = explain(messages).flatMap((note) => wrapped(note, screen.columns ?? 80).split('\n'));
  if (notes.length > 0) lines.push('', ...notes.map((note) => pen(note, 'gray')));
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}
