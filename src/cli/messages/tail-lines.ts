import { textOfMessage, writers } from './chat.ts';
import { terminalText } from '../output/cell.ts';
import { cutText, rulerFor } from '../output/fold.ts';
import { penFor } from '../output/pen.ts';
import type { ResultRow } from '../output/result.ts';
import type { Screen } from '../output/screen.ts';
import { stateMark } from '../output/states.ts';
import { localTime } from '../output/times.ts';

/** Messages as they come, a line each: when, with whom, who wrote what. A change of status says which message has it now. */
export async function tailLines(rows: readonly ResultRow[], screen: Screen): Promise<string> {
  const pen = await penFor(screen);
  const lines = rows.map(async (row) => {
    const { event, created_at, contact, sender, status } = row as Readonly<Record<string, string>>;
    const time = localTime(Date.parse(created_at ?? ''), screen.timeZone).slice(11);
    const writer = sender === 'contact' ? '' : `${writers[sender as keyof typeof writers]}: `;
    const text = textOfMessage(row as Parameters<typeof textOfMessage>[0], screen.unicode);
    const said = `${terminalText(contact ?? '')}  ${event === 'status' ? `${status}: ` : writer}${text}`;
    const mark = sender === 'contact' ? undefined : stateMark(status ?? '', screen.unicode);
    const room = screen.columns === null || screen.wide ? Infinity : screen.columns - time.length - 4;
    const line = cutText(said, room, await rulerFor([said]), screen.unicode ? '…' : '~');
    return `${pen(time, 'gray')}  ${mark ? pen(mark.symbol, mark.color) : ' '} ${line}\n`;
  });
  return (await Promise.all(lines)).join('');
}
