import type { CliError, ExitCode } from './errors.ts';
import type { World } from './world.ts';

// What every start loads is kept small: all else is imported when it is known to be needed.

/**
 * Runs the program.
 * @param argv the arguments, without the names of the interpreter and the script
 * @returns the exit code; whatever there was to say is said
 */
export async function run(argv: readonly string[], world: World): Promise<ExitCode> {
  const [first] = argv;
  if (first === '--version' || first === '-V') {
    const { version } = await import('../version.ts');
    world.stdout.write(`${version}\n`);
    return 0;
  }
  if (first === undefined || first === '--help' || first === '-h' || (first === 'help' && argv.length === 1)) {
    const { rootHelp } = await import('./help/root.ts');
    (first === undefined ? world.stderr : world.stdout).write(rootHelp());
    return first === undefined ? 2 : 0;
  }
  if (first === 'complete') return await (await import('./completion/complete.ts')).complete(argv.slice(argv[1] === '--' ? 2 : 1), world);
  try {
    const { runCommand } = await import('./command/run-command.ts');
    return await runCommand(argv, world);
  } catch (error) {
    return await tell(error, argv, world);
  }
}

/** Tells the user of a failure. Returns its exit code. */
async function tell(error: unknown, argv: readonly string[], world: World): Promise<ExitCode> {
  const [{ explain }, { peekOutput }, { terminalText }] = await Promise.all([
    import('./explain.ts'),
    import('./command/global-options.ts'),
    import('./output/cell.ts'),
  ]);
  const failure = explain(error);
  // The service's words are in there too.
  const stack = ((error as Error).stack ?? '').split('\n').map(terminalText);
  if (argv.includes('--debug')) world.stderr.write(`${stack.join('\n')}\n`);
  world.stderr.write(failureText(failure, peekOutput(argv, world.env) === 'json', terminalText));
  return failure.exitCode;
}

/** A failure as it is printed: a line and what to do, or with `-o json` one JSON object. */
function failureText(failure: CliError, asJson: boolean, terminalText: (text: string) => string): string {
  // The service's words reach a terminal: nothing in them may steer it.
  if (!asJson)
    return [`Error: ${failure.message}`, failure.hint ?? []]
      .flat()
      .map((line) => `${terminalText(line)}\n`)
      .join('');
  return `${JSON.stringify({
    ...failure.details,
    code: failure.code,
    message: failure.message,
    hint: failure.hint ?? null,
    status: failure.status ?? null,
    error_code: failure.errorCode ?? null,
    exit_code: failure.exitCode,
  })}\n`;
}
