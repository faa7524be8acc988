import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { maskSecrets } from '../../contract/secret.ts';
import type { CliError } from '../errors.ts';
import { toCliError } from '../explain.ts';
import { Collector } from '../output/collector.ts';
import { isRow, type ResultRow } from '../output/result.ts';
import type { Program } from '../verb/noun.ts';
import { actsOnSubAccounts } from '../verb/verb-options.ts';
import type { World } from '../world.ts';
import { InvalidArgument } from './tool-input.ts';
import type { Tool } from './tools.ts';

/** What every tool acts on. */
export interface Binding {
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
  /** The id of a sub-account, or `own`; undefined if the tools can act on each. */
  readonly subAccount: string | undefined;
}

/** How a call of a tool ended. */
export interface Outcome {
  /** The document that the command printed; null when it printed none. */
  readonly document: ResultRow | null;
  readonly failure: CliError | null;
}

/** The size of the largest result, in characters: what an assistant can still read. */
const longestResult = 200_000;

/**
 * Runs the command of a tool.
 * @param args the arguments of the call
 * @param signal ends the work when it is aborted
 * @param onProgress called as the work goes on
 * @throws InvalidArgument when an argument is not one that the tool takes, or the result is too large
 */
export async function runTool(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  binding: Binding,
  { program, world, signal, onProgress }: { program: Program; world: World; signal: AbortSignal; onProgress: World['onProgress'] },
): Promise<Outcome> {
  const { verb, noun, input, annotations } = tool;
  const words = input.wordsOf(args);
  if (typeof args.key_file === 'string' && /\p{Cc}/u.test(args.key_file))
    throw new InvalidArgument('The argument key_file must be the path of a file');
  if (typeof args.key_file === 'string' && existsSync(args.key_file))
    throw new InvalidArgument(`The file ${args.key_file} exists already: the argument key_file must name a new one`);
  const own = toolWorld(world, signal, onProgress);
  const bound = [
    binding.profile === undefined ? [] : `--profile=${binding.profile}`,
    binding.baseUrl === undefined ? [] : `--base-url=${binding.baseUrl}`,
    binding.subAccount === undefined || !actsOnSubAccounts(verb) ? [] : `--sub-account=${binding.subAccount}`,
    annotations.readOnlyHint ? [] : '--yes',
  ].flat();
  let failure: CliError | null = null;
  try {
    await program.run([noun, ...verb.name.split(' ').filter(Boolean), '--output=json', '--quiet', ...bound, ...words], own);
  } catch (error) {
    failure = toCliError(error);
  }
  return { document: documentOf(own.stdout.take()), failure };
}

/** @throws InvalidArgument when the document is too large for an assistant */
function documentOf(text: string): ResultRow | null {
  if (text.trim() === '') return null;
  const value = parsed(maskSecrets(text));
  const { length } = JSON.stringify(value);
  if (length > longestResult)
    throw new InvalidArgument(`The result has ${length} characters, and at most ${longestResult} are allowed: ask for less`);
  return isRow(value) ? value : { value };
}

/** A command that prints a text instead of a document answers that. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}

/** The world of a command that an assistant calls: nobody can be asked, and its output is collected. */
function toolWorld(world: World, signal: AbortSignal, onProgress: World['onProgress']): World & { readonly stdout: Collector } {
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  const sleep = async (milliseconds: number) => {
    await Promise.race([world.sleep(milliseconds), aborted]);
    signal.throwIfAborted();
  };
  const values: Partial<World> = {
    stdin: Readable.from([]),
    stdout: new Collector(),
    stderr: new Collector(),
    // The binding decides these.
    env: { ...world.env, MSGCTL_OUTPUT: undefined, MSGCTL_SUB_ACCOUNT: undefined },
    sleep,
    interrupted: aborted,
    cancelled: signal,
    onProgress,
    hasLostReader: false,
    outliveReader: () => {},
    saveMemory: () => {},
    endAtNextSignal: () => {},
    onStopSignal: () => {},
  };
  const properties = Object.entries(values).map(([name, value]) => [name, { value }] as const);
  return Object.create(world, Object.fromEntries(properties)) as World & { readonly stdout: Collector };
}
