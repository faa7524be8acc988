import type { ServerFactory } from '../assistants/server.ts';
import { usageError } from '../errors.ts';
import { flagOrVariable } from '../global-options.ts';
import type { Result } from '../output/result.ts';
import type { Noun, Options, Session } from '../verb/noun.ts';
import { parseList, parsePort } from '../verb/values.ts';

export const mcp: Noun = {
  name: 'mcp',
  verbs: [
    {
      name: '',
      summary: 'Offer the commands to assistants as tools of the Model Context Protocol, on stdin and stdout',
      examples: [
        ['msgctl mcp --profile prod', 'the tools that read; docs/assistants.md says how clients start it'],
        ['msgctl mcp --sub-account Berlin --toolset contacts,deals', 'on one sub-account, with everything about contacts and deals'],
        ['msgctl mcp --allow-writes', 'with tools that change the account'],
        ['msgctl mcp --http 4700', 'over HTTP on this machine, with a token'],
      ],
      scope: 'one account',
      options: [
        {
          flags: '--toolset <nouns>',
          summary: 'the nouns whose commands are tools too, besides the usual ones, or `all`',
          isList: true,
          parse: parseList,
        },
        { flags: '--allow-writes', summary: 'also offer tools that change the account' },
        {
          flags: '--allow-destructive',
          summary: 'also offer tools that ask for the name of what they delete or send; needs --allow-writes',
        },
        {
          flags: '--http <port>',
          summary: 'serve HTTP on this port of 127.0.0.1; the token is in MSGCTL_MCP_TOKEN, or is made and printed',
          parse: parsePort,
        },
      ],
      run: serveMcp,
    },
  ],
};

/** Serves assistants until the input ends or the command is interrupted. */
async function serveMcp(session: Session, _values: readonly string[], options: Options): Promise<Result> {
  const { world, globals, targets, program } = session;
  const allowsWrites = options.allowWrites === true;
  if (options.allowDestructive && !allowsWrites) throw usageError('--allow-destructive needs --allow-writes');
  const [{ readToolsets }, { serverFactory }] = await Promise.all([import('../assistants/tools.ts'), import('../assistants/server.ts')]);
  const { profile, subAccountId } = targets.resolve();
  const isNamed = flagOrVariable(globals.subAccount, world.env, 'MSGCTL_SUB_ACCOUNT') !== undefined;
  // Bound now, whatever becomes the current profile later.
  const subAccount = subAccountId ?? (isNamed ? 'own' : undefined);
  const choice = {
    toolsets: readToolsets((options.toolset as readonly string[] | undefined) ?? [], program.nouns),
    allowsWrites,
    allowsDestructive: options.allowDestructive === true,
    isBound: subAccount !== undefined,
  };
  const binding = { profile: profile ?? undefined, baseUrl: globals.baseUrl, subAccount };
  const factory = serverFactory({ choice, binding, program, world });
  if (options.http !== undefined) await serveHttp(session, factory, options.http as number);
  else await (await import('../assistants/stdio.ts')).serveStreams(factory, world, (error) => report(session, error));
  return { kind: 'nothing' };
}

async function serveHttp(session: Session, factory: ServerFactory, port: number): Promise<void> {
  const { world, globals } = session;
  const { readSecret } = await import('../connection/checks.ts');
  const { randomBytes } = await import('node:crypto');
  const given = readSecret(world.env, 'MSGCTL_MCP_TOKEN');
  const token = given ?? randomBytes(32).toString('base64url');
  const { serveAssistants } = await import('../assistants/http.ts');
  const { url, close } = await serveAssistants(factory, port, token, (error) => report(session, error));
  const shown = given === undefined ? token : null;
  const line =
    globals.output === 'json'
      ? JSON.stringify({ event: 'ready', url, token: shown })
      : `Serving ${url}${shown === null ? '' : `, token ${shown}`}`;
  world.stdout.write(`${line}\n`);
  await world.interrupted;
  await close();
}

function report({ notes }: Session, error: Error): void {
  notes.always(`Error: ${error.message}`);
}
