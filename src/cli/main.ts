import type { CliError, ExitCode } from './errors.ts';
import type { World } from './world.ts';

// This file is loaded on every start, so it imports everything else only when needed.

/**
 * Runs the program.
 * @param argv the arguments, without the interpreter and the script
 * @returns the exit code, after all output is written
 */
export async function run(argv: readonly string[], world: World): Promise<ExitCode> {
  const [first] = argv;
  if (first === '--version' || first === '-V' || first === 'version') {
    const { version } = await import('../version.ts');
    world.stdout.write(`${version}\n`);
    return 0;
  }
  if (first === undefined || (argv.length === 1 && ['--help', '-h', 'help'].includes(first))) {
    const [{ rootHelp, shortHelp }, { helpWidth }] = await Promise.all([import('./help/root.ts'), import('./help/layout.ts')]);
    const output = first === undefined ? world.stderr : world.stdout;
    output.write((first === undefined ? shortHelp : rootHelp)(helpWidth(output)));
    return first === undefined ? 2 : 0;
  }
  if (first === 'complete') return await (await import('./completion/complete.ts')).complete(argv.slice(argv[1] === '--' ? 2 : 1), world);
  try {
    const { runCommand } = await import('./argv/run-command.ts');
    return await runCommand(argv, world);
  } catch (error) {
    return await reportError(error, argv, world);
  }
}

/** Prints an error on stderr. Returns its exit code. */
async function reportError(error: unknown, argv: readonly string[], world: World): Promise<ExitCode> {
  const [{ toCliError }, { beforeDashes, detectOutputFormat }, { messageLine, terminalSafe }, { wrapped }, { maskSecrets }] =
    await Promise.all([
      import('./explain.ts'),
      import('./global-options.ts'),
      import('./output/cell.ts'),
      import('./output/wrap.ts'),
      import('../contract/secret.ts'),
    ]);
  const failure = toCliError(error);
  const { message, stack = '' } = error as Error;
  // The message contains text from the service, which must not begin a line of its own.
  const trace = stack.replace(message, () => messageLine(message)).split('\n');
  const options = beforeDashes(argv);
  if (options.includes('--debug')) world.stderr.write(`${maskSecrets(trace.map(messageLine).join('\n'))}\n`);
  const { isTTY, columns } = world.stderr;
  const line = (text: string) => (isTTY && columns ? wrapped(messageLine(text), columns) : messageLine(text));
  const isVerbose = options.some((word) => ['--debug', '--verbose'].includes(word) || /^-[qv]*v/.test(word));
  const asJson = detectOutputFormat(argv, world.env) === 'json';
  world.stderr.write(maskSecrets(asJson ? terminalSafe(failureJson(failure)) : failureText(failure, line, isVerbose)));
  return failure.exitCode;
}

/**
 * The text for an error: the message, a hint, and if it is verbose the id of the request.
 * @param line escapes text from the service, which must not control the terminal
 */
function failureText(
  { code, lines: [first = '', ...others], hintLines, requestId }: CliError,
  line: (text: string) => string,
  isVerbose: boolean,
): string {
  const request = isVerbose && requestId !== undefined ? [`Request: ${requestId}`] : [];
  const lines = [code === 'declined' ? first : `Error: ${first}`, ...others, ...hintLines, ...request];
  return lines.map((text) => `${line(text)}\n`).join('');
}

/** The JSON object for an error with `-o json`. */
function failureJson(failure: CliError): string {
  const { details, code, message, hint = null, status, errorCode = null, requestId: request_id, exitCode } = failure;
  // Without a refusal, the status is that of the job or record that the error is about.
  const shownStatus = status ?? details.status ?? null;
  return `${JSON.stringify({ ...details, code, message, hint, status: shownStatus, error_code: errorCode, request_id, exit_code: exitCode })}\n`;
}
