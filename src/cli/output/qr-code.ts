import type { GlobalOptions } from '../command/global-options.ts';
import type { World } from '../world.ts';
import type { Notes } from './notes.ts';

/** Black on white, whatever the terminal's own colours: a phone reads no code that is light on dark. */
const blackOnWhite = '\u001b[30;107m';
const usual = '\u001b[0m';

/**
 * Draws a QR code on stderr: for a camera on a terminal, elsewhere as text. It is drawn with `--quiet` too, as it is what
 * was asked for; with -o json only where a person reads it.
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
  const { columns = 80 } = stderr;
  if (columns < width) to.notes.insist(`The code is ${width} columns wide, and the terminal ${columns}: make it wider.`);
  // The white around it is part of a code.
  const framed = [' '.repeat(width), ...lines.map((each) => each.padEnd(width)), ' '.repeat(width)];
  const isPlain = env.TERM === 'dumb';
  for (const line of framed) stderr.write(isPlain ? `${line}\n` : `${blackOnWhite}${line}${usual}\n`);
}
