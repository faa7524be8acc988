import { terminalText } from '../../../output/cell.ts';
import { counted, digits } from '../../../../contract/text/counted.ts';
import { foldText, rulerFor } from '../../../output/fold.ts';
import { penFor } from '../../../output/pen.ts';
import type { Screen } from '../../../output/screen.ts';
import type { Agent } from '../../../routing/entry-points.ts';
import { nameOf, withNames } from '../../../routing/words.ts';
import { callLine, callLines } from '../../../tools/call-line.ts';
import type { Turn } from './conversation.ts';

/** The response to a line as text: the reply, the reason, the tags and the cost. Agents are shown by name. */
export async function turnText(turn: Turn, agents: readonly Agent[], screen: Screen): Promise<string> {
  const { decision, reply, note, later } = turn;
  const pen = await penFor(screen);
  const room = Math.max(20, (screen.columns ?? 80) - 2);
  const paragraph = async (text: string, paint: (line: string) => string) => {
    const plain = terminalText(withNames(text, agents));
    return foldText(plain, room, await rulerFor([plain])).map((line) => `  ${paint(line)}`);
  };
  const calls = async () => callLines(turn.tool_calls, screen, pen, await rulerFor(turn.tool_calls.map((call) => callLine(call, true))));
  const gray = (line: string) => pen(line, 'gray');
  const name = decision?.agent_id ? nameOf(decision.agent_id, agents) : 'Automated';
  const lines = [
    ...(reply ? [pen(terminalText(name), 'bold'), ...(await paragraph(reply.body, (line) => line))] : []),
    ...(await calls()),
    ...(decision && !reply ? await paragraph(whyNoReply(turn, agents), (line) => pen(line, 'yellow')) : []),
    ...(note === null ? [] : await paragraph(note, (line) => pen(line, 'cyan'))),
    ...(await Promise.all(later.map(async (body) => [pen('Later', 'bold'), ...(await paragraph(body, (line) => line))]))).flat(),
    ...(decision ? await paragraph(`${decision.step}: ${decision.reason}`, gray) : []),
    ...(await paragraph(effects(turn), gray)),
  ].filter((line) => line.trim() !== '');
  return lines.length === 0 ? '' : `${lines.join('\n')}\n\n`;
}

function whyNoReply({ decision, silent }: Turn, agents: readonly Agent[]): string {
  if (silent !== null) return `${silent}.`;
  return decision?.agent_id ? `${nameOf(decision.agent_id, agents)} sends nothing.` : 'Nobody answers.';
}

/** Other effects, in one line. */
function effects({ reply, tags_added: added, tags_removed: removed, credits_used: used, credits, decision }: Turn): string {
  const parts = [
    ...(reply ? [reply.source] : []),
    ...added.map((tag) => `tagged ${tag}`),
    ...removed.map((tag) => `tag ${tag} removed`),
    ...(decision || used !== 0 ? [`${counted(used, 'credit')} used, ${digits(credits)} left`] : []),
  ];
  return parts.join(', ');
}
