import { routingSteps, type TriedStep } from '../../contract/areas/routing/decide.ts';
import { foldText, type Ruler } from '../output/fold.ts';
import type { Pen } from '../output/pen.ts';
import type { Screen } from '../output/screen.ts';

const stepWidth = Math.max(...routingSteps.map(({ length }) => length));

/** The steps of a decision, a line each: whether it decided, its name and its reason. @param say puts a reason into words */
export function stepLines(steps: readonly TriedStep[], say: (reason: string) => string, screen: Screen, pen: Pen, ruler: Ruler): string[] {
  return steps.flatMap(({ step, decided, reason }) =>
    beside(`${markOf(decided, pen, screen)} ${step.padEnd(stepWidth)}  `, stepWidth + 4, say(reason), screen, ruler),
  );
}

function markOf(decided: boolean | null, pen: Pen, { unicode }: Screen): string {
  if (decided === null) return pen('?', 'yellow');
  return decided ? pen(unicode ? '✓' : '+', 'green') : pen(unicode ? '○' : '-', 'gray');
}

/** Wraps text next to a prefix, indenting further lines. @param width the width of the prefix */
export function beside(start: string, width: number, text: string, { columns, wide }: Screen, ruler: Ruler): string[] {
  const room = columns === null || wide ? Infinity : Math.max(20, columns - width);
  return foldText(text, room, ruler).map((line, index) => `${index === 0 ? start : ' '.repeat(width)}${line}`);
}
