import type { GlobalOptions } from '../global-options.ts';
import type { World } from '../world.ts';
import type { Notes } from './notes.ts';
import { widthOf } from './screen.ts';

/** Black on white, regardless of the terminal's colours: phones cannot scan inverted codes. */
const blackOnWhite = '\u001b[30;107m';
const resetColors = '\u001b[0m';

/**
 * Draws a QR code on stderr, in colour on a terminal. Not suppressed by `--quiet`, because the user asked for it. With -o json,
 * it is drawn only on a terminal.
 */
export async function drawQrCode(code: string, to: { world: World; notes: Notes; globals: GlobalOptions }): Promise<void> {
  const { stderr, env } = to.world;
  const { default: qrcode } = await import('qrcode');
  const text = await qrcode.toString(code, { type: 'utf8', errorCorrectionLevel: 'L' });
  const lines = text.split('\n').filter((line) => line !== '');
  const width = Math.max(...lines.map((line) => line.length));
  if (!stderr.isTTY) {
    if (to.globals.output !== 'json') to.notes.always(lines);
    return;
  }
  const columns = widthOf(stderr);
  if (columns < width) to.notes.always(`The code is ${width} columns wide, but the terminal only ${columns}: widen the window.`);
  // A QR code needs a white margin.
  const framed = [' '.repeat(width), ...lines.map((each) => each.padEnd(width)), ' '.repeat(width)];
  const isPlain = env.TERM === 'dumb';
  for (const line of framed) stderr.write(isPlain ? `${line}\n` : `${blackOnWhite}${line}${resetColors}\n`);
}
