import { InterfaceError } from '../../client/errors.ts';
import { getHealth } from '../../contract/areas/health/endpoints.ts';
import { isLoopbackHost } from '../../contract/loopback.ts';
import type { Noun, Options, Session } from '../verb/noun.ts';
import { awaitPrompt, questionText } from '../verb/prompting.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { toCliError } from '../explain.ts';
import { flagOrVariable } from '../global-options.ts';
import type { Result } from '../output/result.ts';
import { canAsk } from '../world.ts';
import { previewKey } from '../profiles/key-preview.ts';
import { checkProfileName, sandboxName } from '../profiles/profiles.ts';
import { checkKey, parseAddress, readAddress } from '../connection/checks.ts';
import { readKey, splitCommand } from '../connection/key-command.ts';
import { defaultBaseUrl } from '../connection/target-choice.ts';

/** Stores a key in a profile after the service has accepted it. */
async function logIn(session: Session, _values: readonly string[], options: Options): Promise<Result> {
  const { targets, world, globals, notes } = session;
  const { profiles } = targets;
  const current = profiles.current();
  const chosen = flagOrVariable(globals.profile, world.env, 'MSGCTL_PROFILE');
  const name = chosen ?? (current === null || current === sandboxName ? 'default' : current);
  checkProfileName(name);
  const known = profiles.find(name);

  const command = options.keyCommand as string | undefined;
  const fromStdin = options.apiKeyStdin === true;
  if (fromStdin && command !== undefined) throw usageError('Give either --api-key-stdin or --key-command, not both');
  if (command !== undefined) splitCommand(command);
  if (!fromStdin && command === undefined && !canAsk(world))
    throw usageError('Cannot ask for the key without a terminal', 'Pipe the key in: msgctl login --api-key-stdin < key.txt');
  const baseUrl = await requireAddress(session, known?.base_url, fromStdin || command !== undefined);
  if (known && known.base_url !== baseUrl) await session.confirm(`Replace the profile '${name}' of ${known.base_url}?`);
  if (isUnencrypted(baseUrl)) notes.beforeQuestion(`The key is sent unencrypted to ${baseUrl}: use https if you can.`);

  const { key, accountId } = await (command !== undefined
    ? verifyKey(session, baseUrl, await readKey(command, world))
    : fromStdin
      ? verifyKey(session, baseUrl, (await session.readWholeStdin()).trim())
      : askForKey(session, baseUrl));
  const token = known?.base_url === baseUrl ? known.sandbox_token : undefined;
  await profiles.save(name, {
    base_url: baseUrl,
    ...(command === undefined ? { api_key: key } : { key_command: command }),
    ...(token !== undefined && { sandbox_token: token }),
  });
  if (known?.api_key !== undefined && known.api_key !== key)
    notes.say(
      `Replaced the key ${previewKey(known.api_key)} of the profile '${name}'. To store several keys, log in with \`msgctl login --profile NAME\`.`,
    );
  notes.say(`Logged in. Now using the profile '${name}'.`);
  if (world.env.MSGCTL_API_KEY) notes.say('MSGCTL_API_KEY is set and overrides the key of the profile.');
  const record = { profile: name, base_url: baseUrl, account_id: accountId, key: previewKey(key) };
  return { kind: 'record', answer: record, record };
}

async function requireAddress({ world, globals }: Session, known: string | undefined, fromStdin: boolean): Promise<string> {
  const given = readAddress(globals.baseUrl, world.env);
  if (given !== undefined) return given;
  if (fromStdin) return known ?? defaultBaseUrl;
  const { input } = await import('@inquirer/prompts');
  const offered = known ?? defaultBaseUrl;
  const answer = await awaitPrompt(
    input(
      {
        message: questionText('Address of the service, with its version:', `(${offered})`, world),
        default: offered,
        validate: (text) => {
          try {
            parseAddress(text);
            return true;
          } catch (error) {
            return (error as Error).message;
          }
        },
      },
      { input: world.stdin, output: world.stderr },
    ),
  );
  return parseAddress(answer);
}

/** A key that the service has accepted, with its account. */
interface Verified {
  readonly key: string;
  readonly accountId: string;
}

/** @throws CliError 4 if the key is invalid, InterfaceError if the service rejects it */
async function verifyKey({ targets }: Session, baseUrl: string, key: string): Promise<Verified> {
  if (key === '') throw new CliError(exitCodes.notAllowed, 'not_authenticated', 'The key is empty');
  checkKey(key, 'The key');
  const client = await targets.clientAt(baseUrl, key);
  const { account_id: accountId } = await client.call(getHealth, {});
  return { key, accountId };
}

/** Prompts for the key until the service accepts one. @throws CliError 130 if the user interrupts the prompt */
async function askForKey(session: Session, baseUrl: string): Promise<Verified> {
  for (;;) {
    const key = await askKey(session);
    try {
      return await verifyKey(session, baseUrl, key);
    } catch (error) {
      const { lines, hintLines } = toCliError(error);
      // An error other than a wrong key, such as an unreachable service, would occur with the next key too.
      if (!(error instanceof CliError || (error instanceof InterfaceError && error.status === 401))) throw error;
      session.notes.always([...lines, ...hintLines]);
    }
  }
}

async function askKey({ world }: Session): Promise<string> {
  const { password } = await import('@inquirer/prompts');
  const answer = await awaitPrompt(
    password(
      { message: 'API key:', mask: '*', validate: (text) => text.trim() !== '' || 'Paste the key, or press Ctrl-C to cancel' },
      { input: world.stdin, output: world.stderr },
    ),
  );
  return answer.trim();
}

/** Whether a key sent to this address could be intercepted on the network. */
function isUnencrypted(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !isLoopbackHost(hostname);
}

export const login: Noun = {
  name: 'login',
  verbs: [
    {
      name: '',
      summary: 'Verify an API key and store it in a profile',
      examples: [
        ['msgctl login', 'asks for the address and the key'],
        ['msgctl login --profile work --base-url https://api.example.com/v1', 'asks only for the key'],
        ['msgctl login --api-key-stdin < key.txt', 'for scripts: reads the key from stdin'],
        ["msgctl login --key-command 'pass show msgctl/acme'", 'stores no key: the command prints it whenever one is needed'],
      ],
      options: [
        { flags: '--api-key-stdin', summary: 'read the key from stdin instead of asking for it' },
        {
          flags: '--key-command <command>',
          summary:
            'a program that prints the key, run without a shell whenever a key is needed; its first line is the key, which is not stored',
        },
      ],
      shown: { columns: ['profile', 'base_url', 'account_id', 'key'] },
      promptTarget: ({ session: { targets } }) => targets.profiles.file,
      run: logIn,
    },
  ],
};
