import { type ExitCode, exitCodes, usageError } from '../errors.ts';
import { toCliError } from '../explain.ts';
import { messageLine } from '../output/cell.ts';
import { Collector } from '../output/collector.ts';
import { counted } from '../../contract/text/counted.ts';
import { widthOf } from '../output/screen.ts';
import type { Targets } from '../connection/targets.ts';
import type { World } from '../world.ts';

/** Default interval between two results, in milliseconds. */
const defaultInterval = 5_000;

/** The minimum interval per request, in milliseconds. It allows 150 requests a minute, half of the main key's rate limit. */
const timePerRequest = 400;

/** The minimum time between two results while the window is being resized, in milliseconds. */
const resizeInterval = 1_000;

const enter = '\u001b[?1049h\u001b[?25l';
const leave = '\u001b[?25h\u001b[?1049l';
const home = '\u001b[H';
const clearLine = '\u001b[K';
const clearBelow = '\u001b[J';

/** The output of one run of the command. */
interface Frame {
  readonly text: string;
  readonly failure: Error | null;
  /** In epoch milliseconds. */
  readonly at: number;
}

/**
 * Opens the screen for `--watch`.
 * @param words the noun and the verb, for the heading
 * @param interval in milliseconds; true for the default
 * @throws CliError 2 if stdout is not a terminal that can be redrawn
 */
export function openWatch(words: string, interval: unknown, world: World): Watch {
  if (!world.stdout.isTTY || world.env.TERM === 'dumb')
    throw usageError('--watch needs a terminal, because it redraws the screen', 'Run the command without --watch.');
  return new Watch(words, interval === true ? defaultInterval : (interval as number), world);
}

/** Runs a command repeatedly and redraws its result in place. */
export class Watch {
  /** The environment in which the command runs. Its output is collected, so that it can be drawn at once. */
  readonly world: World;
  readonly #words: string;
  readonly #interval: number;
  readonly #outer: World;
  readonly #abort = new AbortController();
  readonly #stdout: Collector;
  readonly #stderr: Collector;
  #shown: Frame | null = null;
  #failure: Error | null = null;
  #pause: number;
  #widthOf: (text: string) => number = (text) => text.length;
  #resized: () => void = () => {};

  constructor(words: string, interval: number, world: World) {
    this.#words = words;
    this.#interval = this.#pause = interval;
    this.#outer = world;
    this.#stdout = new Collector(world.stdout);
    this.#stderr = new Collector();
    this.world = Object.create(world, { stdout: { value: this.#stdout }, stderr: { value: this.#stderr } }) as World;
  }

  /** Aborted by an interrupt. Calls with a signal are not retried by the client; the next run is the retry. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /**
   * Runs the command until it is interrupted. Failures are shown, and the next run may succeed.
   * @returns 130
   * @throws the error of the first run, such as an unknown id
   */
  async show(runOnce: () => Promise<unknown>, targets: Targets): Promise<ExitCode> {
    const { stdout, now } = this.#outer;
    const interrupted = this.#outer.interrupted.then(() => {
      this.#abort.abort();
      return 'interrupted' as const;
    });
    const onResize = () => {
      if (this.#shown) this.#draw();
      this.#resized();
    };
    try {
      const { default: widthOf } = await import('string-width');
      this.#widthOf = widthOf;
      for (;;) {
        const [started, before] = [now(), targets.requests];
        const frame = await Promise.race([this.#run(runOnce), interrupted]);
        if (frame === 'interrupted') return exitCodes.interrupted;
        if (this.#shown === null) this.#open(frame, onResize);
        const cost = (targets.requests - before) * timePerRequest;
        this.#update(frame, cost);
        if (await this.#awaitNext(started + Math.max(cost, resizeInterval), interrupted)) return exitCodes.interrupted;
      }
    } finally {
      stdout.off('resize', onResize);
      if (this.#shown) stdout.write(leave);
    }
  }

  /** Opens the screen for the first frame. @throws its error, if there is nothing else to show */
  #open({ failure, text }: Frame, onResize: () => void): void {
    if (failure && text === '') throw failure;
    this.#outer.stdout.write(enter);
    this.#outer.stdout.on('resize', onResize);
  }

  /** Draws a frame. If it is empty because of a failure, the one before stays. @param cost the time that its requests stand for */
  #update(frame: Frame, cost: number): void {
    this.#pause = Math.max(this.#interval, cost);
    if (frame.text !== '' || !this.#shown) this.#shown = frame;
    this.#failure = frame.failure;
    this.#draw();
  }

  /**
   * Waits until the next run is due, which is earlier if the window is resized.
   * @param earliest when it may run after that. While the user drags the window border, the size changes many times a second.
   * @returns 'interrupted' if the user interrupted the command
   */
  async #awaitNext(earliest: number, interrupted: Promise<'interrupted'>): Promise<'interrupted' | null> {
    const { sleep, now } = this.#outer;
    const resized = new Promise<'resized'>((resolve) => (this.#resized = () => resolve('resized')));
    const woken = await Promise.race([sleep(this.#pause), resized, interrupted]);
    const rest = woken === 'resized' ? earliest - now() : 0;
    const ended = rest > 0 ? await Promise.race([sleep(rest), interrupted]) : woken;
    return ended === 'interrupted' ? ended : null;
  }

  async #run(runOnce: () => Promise<unknown>): Promise<Frame> {
    let failure: Error | null = null;
    try {
      await runOnce();
    } catch (error) {
      failure = error as Error;
    }
    const notes = this.#stderr.take();
    const text = this.#stdout.take() + (notes === '' ? '' : `\n${notes}`);
    return { text, failure, at: this.#outer.now() };
  }

  /** Draws everything in a single write to avoid flickering. */
  #draw(): void {
    const { stdout } = this.#outer;
    const columns = widthOf(stdout);
    // Some terminals report 0 if they do not know their size.
    const rows = (stdout.rows ?? 0) || 24;
    const heightOf = (line: string) => Math.max(1, Math.ceil(this.#widthOf(line) / columns));
    const lines = this.#lines(columns);
    const { shown, used } = fit(lines, rows, heightOf);
    // If a line wraps, the rows below it must be cleared too.
    const drawn = shown.map((line) => (heightOf(line) > 1 ? clearBelow : clearLine) + line).join('\r\n');
    stdout.write(home + drawn + (used < rows ? `\r\n${clearBelow}` : ''));
  }

  #lines(columns: number): string[] {
    const shown = this.#shown as Frame;
    // A shorter interval would use too much of the rate limit for a command that only shows something.
    const why = this.#pause > this.#interval ? ' (rate limit)' : '';
    const heading = `Every ${Math.round(this.#pause / 1000)}s${why}: msgctl ${this.#words}  ${timeOf(shown.at)}  (Ctrl-C ends)`;
    const failure = this.#failure && toCliError(this.#failure);
    return [
      heading.slice(0, columns),
      ...(failure?.lines ?? []).map((line, index) => messageLine(index === 0 ? `Error: ${line}` : line)),
      '',
      ...shown.text.trimEnd().split('\n'),
    ];
  }
}

/** The lines that fit into the window. If there are more, the last row says so. */
function fit(lines: readonly string[], rows: number, heightOf: (line: string) => number): { shown: string[]; used: number } {
  const shown: string[] = [];
  let used = 0;
  for (const line of lines) {
    shown.push(line);
    used += heightOf(line);
  }
  if (used <= rows) return { shown, used };
  while (used > rows - 1 && shown.length > 0) used -= heightOf(shown.pop() ?? '');
  const left = lines.length - shown.length;
  return { shown: [...shown, `${counted(left, 'more line')}: enlarge the window to see more`], used: used + 1 };
}

/** The time of day in the user's time zone. */
function timeOf(instant: number): string {
  return new Date(instant).toTimeString().slice(0, 8);
}
