import { severities } from '../../../contract/areas/notifications/kinds.ts';
import { terminalText } from '../../output/cell.ts';
import { foldText, rulerFor } from '../../output/fold.ts';
import { penFor } from '../../output/pen.ts';
import type { ResultRow } from '../../output/result.ts';
import type { Screen } from '../../output/screen.ts';
import { localTime } from '../../output/times.ts';

const severityWidth = Math.max(...severities.map(({ length }) => length));

/** Notifications as they come: when, how urgent, and what happened. */
export async function watchLines(rows: readonly ResultRow[], screen: Screen): Promise<string> {
  const pen = await penFor(screen);
  const texts = rows.map((row) => terminalText(String(row.text)));
  const ruler = await rulerFor(texts);
  const lines = rows.flatMap((row, index) => {
    const { created_at, severity } = row as Readonly<Record<string, string>>;
    const time = localTime(Date.parse(created_at ?? ''), screen.timeZone).slice(11);
    const start = `${pen(time, 'gray')}  ${(severity ?? '').padEnd(severityWidth)}  `;
    const indent = time.length + severityWidth + 4;
    const room = screen.columns === null || screen.wide ? Infinity : Math.max(20, screen.columns - indent);
    return foldText(texts[index] ?? '', room, ruler).map((line, place) => `${place === 0 ? start : ' '.repeat(indent)}${line}\n`);
  });
  return lines.join('');
}
