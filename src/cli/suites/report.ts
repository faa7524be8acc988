import { callLine } from '../tools/call-line.ts';
import { terminalText } from '../output/cell.ts';
import type { CaseResult, Exchange } from './run-case.ts';

/** The conversation of a case that failed, with what differs and the FAQs that competed. */
export function failureText({ tested, exchanges }: CaseResult, unicode: boolean): string {
  const lines = [`${unicode ? '✗' : 'x'} ${tested.name}`, ...exchanges.flatMap((each) => exchangeLines(each, unicode))];
  return `${lines.map(terminalText).join('\n')}\n`;
}

function exchangeLines({ text, observed, flaws }: Exchange, unicode: boolean): string[] {
  const who = observed.agent?.name ?? 'nobody';
  const said = observed.text ?? `(${observed.handover ? 'handed over to people' : 'no reply'})`;
  return [
    `    contact: ${text}`,
    ...observed.calls.map((call) => `    ${callLine(call, unicode)}`),
    `    ${who}: ${said}`,
    ...flaws.flatMap(({ expected, got }) => [`      - expected ${expected}`, `      + got ${got}`]),
    ...(flaws.length > 0
      ? observed.faqs
          .slice(0, 5)
          .map(({ score, question, chosen }) => `      ${score.toFixed(2)} ${chosen ? '(answered with) ' : ''}${question}`)
      : []),
  ];
}
