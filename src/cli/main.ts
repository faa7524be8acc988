import type { CliError, ExitCode } from './errors.ts';
import { commandWords, peekOutput } from './global-options.ts';
import type { World } from './world.ts';

/**
 * Runs the program.
 * @param argv the arguments, without the names of the interpreter and the script
 * @returns the exit code; whatever there was to say is said
 */
export async function run(argv: readonly string[], world: World): Promise<ExitCode> {
  // `msgctl help keys` is `msgctl keys --help`.
  if (argv[0] === 'help') return await run([...argv.slice(1), '--help'], world);
  const [noun] = commandWords(argv);
  if (noun === undefined) {
    const fast = await answerAtOnce(argv, world);
    if (fast !== null) return fast;
  }
  try {
    const { runCommand } = await import('./run-command.ts');
    return await runCommand(argv, noun, world);
  } catch (error) {
    const [{ explain }, { exitCodes }] = await Promise.all([import('./explain.ts'), import('./errors.ts')]);
    const failure = explain(error);
    if (argv.includes('--debug')) world.stderr.write(`${(error as Error).stack}\n`);
    if (failure.exitCode !== exitCodes.interrupted || failure.message)
      world.stderr.write(failureText(failure, peekOutput(argv, world.env) === 'json'));
    return failure.exitCode;
  }
}

/** Version and root help need neither commander nor a noun. */
async function answerAtOnce(argv: readonly string[], world: World): Promise<ExitCode | null> {
  if (argv.includes('--version') || argv.includes('-V')) {
    const { version } = await import('../version.ts');
    world.stdout.write(`${version}\n`);
    return 0;
  }
  if (argv.length === 0 || argv.includes('--help') || argv.includes('-h')) {
    const { rootHelp } = await import('./root-help.ts');
    (argv.length === 0 ? world.stderr : world.stdout).write(rootHelp());
    return argv.length === 0 ? 2 : 0;
  }
  return null;
}

/** A failure as it is printed: a line and what to do, or with `-o json` one JSON object. */
function failureText(failure: CliError, asJson: boolean): string {
  if (!asJson) return `Error: ${failure.message}\n${failure.hint ? `${failure.hint}\n` : ''}`;
  return `${JSON.stringify({
    ...failure.details,
    code: failure.code,
    message: failure.message,
    hint: failure.hint,
    status: failure.status,
    error_code: failure.errorCode,
    exit_code: failure.exitCode,
  })}\n`;
}
