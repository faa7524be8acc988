import { usageError } from '../errors.ts';
import type { World } from '../world.ts';
import type { Notes } from './notes.ts';
import { type Selection, selectionBy } from './selection.ts';

/** Runs a jq program on JSON text, with values for `$` names. */
type Jq = (
  input: string,
  program: string,
  values?: Readonly<Record<string, unknown>>,
) => { readonly stdout: string; readonly stderr: string; readonly exitCode: number };

/**
 * What goes before a program that uses one of these: the library has an environment of its own, and its `strftime` no `%Z`.
 * A function cannot call another one that it replaces, so the library's `strftime` gets a second name.
 */
const prelude = [
  'def env: $__env;',
  'def __strftime($format): strftime($format);',
  String.raw`def strftime($format): __strftime($format | if type == "string" then gsub("(?<before>(?<!%)(%%)*)%Z"; "\(.before)UTC") else . end);`,
  '$__env as $ENV | ',
].join(' ');
const needsPrelude = /\b(?:env|ENV|strftime)\b/;

/**
 * Compiles a jq program before a request is sent. Results that are strings are printed raw, others as JSON, one per line. A
 * program can run forever, but can be interrupted.
 * @throws CliError 2 if the program is invalid or calls an unknown function
 */
export async function compileJq(program: string, { interruptible, env }: World, notes: Notes): Promise<Selection> {
  const jq = await loadJq();
  // Without input, jq only compiles the program.
  const compiled = await interruptible(() => jq('', program));
  if (compiled.exitCode !== 0)
    throw usageError(`--jq is not a jq program: ${compileFailure(compiled.stderr)}`, 'For example: .tags[].name');
  const whole = needsPrelude.test(program) ? prelude + program : program;
  const __env = Object.fromEntries(Object.entries(env).filter(([name]) => !isSecret(name)));
  return selectionBy('--jq', notes, async (document) => {
    const { stdout, stderr, exitCode } = await interruptible(() => jq(JSON.stringify(document), whole, { __env }));
    if (exitCode !== 0) throw new Error(runFailure(stderr) || `it ended with status ${exitCode}`);
    // The output of `debug`.
    if (stderr !== '') notes.say(stderr.split('\n'));
    const results = stdout === '' ? [] : stdout.split('\n');
    return { value: results, text: results.map((json) => `${json.startsWith('"') ? (JSON.parse(json) as string) : json}\n`).join('') };
  });
}

/** Whether a variable holds a secret of msgctl, which no program needs and a whole `env` would print. */
function isSecret(variable: string): boolean {
  return /^MSGCTL_.*_(?:KEY|TOKEN)$/.test(variable);
}

async function loadJq(): Promise<Jq> {
  const jq = await (await import('jq-wasm/inline')).loadJq();
  return (input, program, values = {}) => {
    const given = Object.entries(values).flatMap(([name, value]) => ['--argjson', name, JSON.stringify(value)]);
    /* oxlint-disable no-console -- the library also writes to the console when it runs out of memory */
    const { error } = console;
    try {
      console.error = () => {};
      return jq.raw(input, program, ['--compact-output', ...given, '--']);
    } catch {
      return { stdout: '', stderr: 'it needs more memory than 256 MiB, or nests too deeply', exitCode: 1 };
    } finally {
      console.error = error;
    }
    /* oxlint-enable no-console */
  };
}

/** The compiler's first error, without parts that only make sense for a file. */
function compileFailure(stderr: string): string {
  const [first = ''] = stderr.split('\n');
  return first
    .replace(/^jq: error: /, '')
    .replace(' at <top-level>,', ' at')
    .replace(/:$/, '');
}

/** The error of a program, in the words of jq, which programs catch, but for those that do not tell a user what is wrong. */
function runFailure(stderr: string): string {
  return stderr
    .replace(/^jq: error \(at [^)]*\)(?: \(not a string\))?: /, '')
    .replace(/^break$/, 'there is one answer, and it has been read: input finds no other')
    .replace(
      /^(?:.* \(at offset \d+\) is not a valid regex: |Regex failure: )(.*)$/s,
      'the regular expression is wrong or takes too long: $1',
    )
    .replace(
      /^(strf(?:local)?time)\/1: unknown system failure$/,
      '$1 does not know a letter of its format: %k, %l, %P and %v are missing, and %Z in strflocaltime',
    );
}
