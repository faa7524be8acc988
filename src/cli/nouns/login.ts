import { getHealth } from '../../contract/areas/health/endpoints.ts';
import type { Noun, Options, Session } from '../command/command.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { previewKey } from '../profiles/key-preview.ts';
import { checkProfileName, sandboxName } from '../profiles/profiles.ts';
import type { Result } from '../output/result.ts';
import { prompting } from '../command/prompting.ts';
import { readStdin } from '../files/read.ts';
import { checkAddress, checkKey, defaultBaseUrl, isLoopback } from '../target/targets.ts';

/** Stores a key in a profile, once the service has accepted it. */
async function logIn(session: Session, _values: readonly string[], options: Options): Promise<Result> {
  const { targets, world, globals, notes } = session;
  const { profiles } = targets;
  const current = profiles.current();
  const chosen = globals.profile ?? (world.env.MSGCTL_PROFILE || undefined);
  const name = checkProfileName(chosen ?? (current === null || current === sandboxName ? 'default' : current));
  const known = profiles.find(name);

  const fromStdin = options.apiKeyStdin === true;
  if (!fromStdin && !(world.stdin.isTTY && world.stderr.isTTY))
    throw usageError('Nobody can be asked for the key here', 'Pipe it in: msgctl login --api-key-stdin < key.txt');
  const baseUrl = await chooseAddress(session, known?.base_url, fromStdin);
  if (known && known.base_url !== baseUrl) await session.confirm(`Replace the profile '${name}', which is for ${known.base_url}?`);
  const key = fromStdin ? (await readStdin(world)).trim() : await askKey(session);
  if (key === '') throw new CliError(exitCodes.notAllowed, 'not_authenticated', 'The key is empty');
  checkKey(key, 'The key');
  if (travelsOpenly(baseUrl)) notes.say(`The key travels unencrypted to ${baseUrl}: prefer https.`);

  const client = await targets.clientAt(baseUrl, key);
  const { account_id: accountId } = await client.call(getHealth, {});
  await profiles.save(name, { base_url: baseUrl, api_key: key });
  notes.say(`Logged in. The profile '${name}' is in use from now on.`);
  if (world.env.MSGCTL_API_KEY) notes.say('MSGCTL_API_KEY is set, and wins over the profile.');
  const record = { profile: name, base_url: baseUrl, account_id: accountId, key: previewKey(key) };
  return { kind: 'record', answer: record, record };
}

async function chooseAddress({ world, globals }: Session, known: string | undefined, fromStdin: boolean): Promise<string> {
  const given = globals.baseUrl ?? (world.env.MSGCTL_BASE_URL || undefined);
  if (given !== undefined) return checkAddress(given);
  if (fromStdin) return known ?? defaultBaseUrl;
  const { input } = await import('@inquirer/prompts');
  const answer = await prompting(
    input(
      {
        message: 'Address of the service, version prefix included:',
        default: known ?? defaultBaseUrl,
        validate: (text) => {
          try {
            checkAddress(text);
            return true;
          } catch (error) {
            return (error as Error).message;
          }
        },
      },
      { input: world.stdin, output: world.stderr },
    ),
  );
  return checkAddress(answer);
}

async function askKey({ world }: Session): Promise<string> {
  const { password } = await import('@inquirer/prompts');
  const answer = await prompting(
    password(
      { message: 'API key:', mask: '*', validate: (text) => text.trim() !== '' || 'Paste the key, or press Ctrl-C to leave' },
      { input: world.stdin, output: world.stderr },
    ),
  );
  return answer.trim();
}

/** Whether an address sends the key over the network in the open. */
function travelsOpenly(baseUrl: string): boolean {
  return new URL(baseUrl).protocol === 'http:' && !isLoopback(baseUrl);
}

export const login: Noun = {
  name: 'login',
  summary: 'Store an API key in a profile, once it works',
  verbs: [
    {
      name: '',
      summary: 'Store an API key in a profile, once it works',
      examples: [
        ['msgctl login', 'asks for the address and the key'],
        ['msgctl login --profile work --base-url https://api.example.com/v1', 'asks for the key alone'],
        ['msgctl login --api-key-stdin < key.txt', 'for scripts: the key is never an argument'],
      ],
      options: [{ flags: '--api-key-stdin', summary: 'read the key from stdin, and ask nothing' }],
      shown: { columns: ['profile', 'base_url', 'account_id', 'key'] },
      run: logIn,
    },
  ],
};
