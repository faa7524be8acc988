import type { GlobalOptions } from '../global-options.ts';
import type { World } from '../world.ts';
import type { Notes } from './notes.ts';
import { widthOf } from './screen.ts';

/** Black on white, whatever the colours of the terminal: phones do not read light codes on dark. */
const blackOnWhite = '\u001b[30;107m';
const resetColors = '\u001b[0m';

/**
 * Draws a QR code on stderr, in colour on a terminal. `--quiet` does not suppress it, because it is what the user asked for.
 * With -o json, it is drawn only on a terminal.
 */
export async function drawQrCode(code: string, to: { world: World; notes: Notes; globals: GlobalOptions }): Promise<void> {
  const { stderr, env } = to.world;
  const { default: qrcode } = await import('qrcode');
  const text = await qrcode.toString(code, { type: 'utf8', errorCorrectionLevel: 'L' });
  const lines = text.split('\n').filter((line) => line !== '');
  const width = Math.max(...lines.map((line) => line.length));
  if (!stderr.isTTY) {
    if (to.globals.output !== 'json') to.notes.insist(lines.join('\n'));
    return;
  }
  const columns = widthOf(stderr);
  if (columns < width) to.notes.insist(`The code is ${width} columns wide, but the terminal only ${columns}: widen the window.`);
  // A white margin is part of a QR code.
  const framed = [' '.repeat(width), ...lines.map((each) => each.padEnd(width)), ' '.repeat(width)];
  const isPlain = env.TERM === 'dumb';
  for (const line of framed) stderr.write(isPlain ? `${line}\n` : `${blackOnWhite}${line}${resetColors}\n`);
}
