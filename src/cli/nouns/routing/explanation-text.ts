import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { terminalText } from '../../output/cell.ts';
import { rulerFor } from '../../output/fold.ts';
import { penFor } from '../../output/pen.ts';
import type { Screen } from '../../output/screen.ts';
import type { Explanation } from './explanation.ts';
import type { Agent, EntryPoint } from '../../routing/entry-points.ts';
import { beside, stepLines } from '../../routing/step-lines.ts';
import { describeRule, nameOf, withNames } from '../../routing/words.ts';

/** The context of an explanation. */
interface Context {
  readonly agents: readonly Agent[];
  readonly rules: readonly EntryPoint[];
  readonly channel: ChannelName;
}

/** An explanation as text: who answers, each step with its reason, and the rules that do not apply. Agents are shown by name. */
export async function explanationText(explanation: Explanation, { agents, rules, channel }: Context, screen: Screen): Promise<string> {
  const { agent, steps, others, silent } = explanation;
  const say = (text: string) => terminalText(withNames(text, agents));
  const isSure = steps.every(({ decided }) => decided !== null);
  const who = agent === null || silent !== null ? 'Nobody answers' : `${agent} answers`;
  const head = terminalText(`${who}${isSure ? '' : ', as far as can be seen from here'}${silent === null ? '' : `: ${silent}`}.`);
  const [pen, ruler] = await Promise.all([penFor(screen), rulerFor([head, ...[...steps, ...others].map(({ reason }) => say(reason))])]);
  const lines = [...beside('', 0, head, screen, ruler).map((line) => pen(line, 'bold')), ''];
  lines.push(...stepLines(steps, say, screen, pen, ruler));
  if (others.length > 0) lines.push('', pen(`Other rules on ${channel}`, 'bold'));
  const arrow = screen.unicode ? '→' : '->';
  for (const { entry_point_id: id, reason } of others) {
    const rule = rules.find((each) => each.id === id) as EntryPoint;
    lines.push(`  ${terminalText(`${describeRule(rule)} ${arrow} ${nameOf(rule.agent_id, agents)}`)}  ${pen(id, 'gray')}`);
    lines.push(...beside('    ', 4, say(reason), screen, ruler));
  }
  return `${lines.join('\n')}\n`;
}
