import { type BatchFile, type BatchRecord, batchFiles } from '../batch/batch-files.ts';
import { describeTarget } from '../verb/confirm.ts';
import type { Noun, Session } from '../verb/noun.ts';
import { shellWord } from '../output/shell-word.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { flagOrVariable } from '../global-options.ts';
import { counted } from '../../contract/text/counted.ts';
import { type ResultRow, wholeList } from '../output/result.ts';
import { readAddress } from '../connection/checks.ts';
import { Targets } from '../connection/targets.ts';
import type { World } from '../world.ts';

const tableColumns = ['id', 'command', 'done', 'unknown', 'left', 'created_at'];

const columns = [...tableColumns, 'profile'];

const idArgument = { name: 'id', summary: 'the id of a batch, such as b7' } as const;

function rowOf({ world }: Session, id: string): ResultRow {
  const file = batchFiles(world).require(id);
  const counts = { done: file.count('done'), unknown: file.count('unknown'), left: file.count('left') };
  const { argv, profile, created_at } = file.record;
  return { id, command: ['msgctl', ...argv.map(shellWord)].join(' '), ...counts, created_at, profile };
}

/** @throws CliError 2 if the command line or the environment selects another service than that of the batch */
function checkPlace({ globals, world }: Session, { id, profile, base_url: baseUrl }: BatchRecord): void {
  const givenProfile = flagOrVariable(globals.profile, world.env, 'MSGCTL_PROFILE');
  const givenUrl = readAddress(globals.baseUrl, world.env);
  const isOther = (givenProfile ?? profile) !== profile || (givenUrl ?? baseUrl) !== baseUrl;
  if (isOther)
    throw usageError(
      `The batch ${id} belongs to ${targetOf(id, world)}`,
      'Omit --profile and --base-url, and unset MSGCTL_PROFILE and MSGCTL_BASE_URL: a batch resumes on the service where it began.',
    );
}

/** Describes what the command of a batch acts on. */
function targetOf(id: string, world: World): string {
  const { profile, base_url: baseUrl } = batchFiles(world).require(id).record;
  return describeTarget({ profile, baseUrl, subAccountId: undefined });
}

/** The id of the newest batch. @throws CliError 5 if there is none */
function newestId(world: World): string {
  const newest = batchFiles(world).list().at(-1);
  if (newest) return newest.id;
  throw new CliError(exitCodes.notFound, 'not_found', 'There is no batch to resume');
}

/** Whether the requests whose outcome is unknown can be sent again without a second effect. */
async function canRepeat(session: Session, file: BatchFile): Promise<boolean> {
  if (!file.isRepeatable(session.world.now())) return false;
  const { profile, base_url: baseUrl } = file.record;
  const { world, globals, notes } = session;
  const targets = new Targets(world, { ...globals, profile: profile ?? undefined, baseUrl: baseUrl ?? undefined }, notes);
  try {
    return (await (await targets.client()).honoursKeys()) ?? false;
  } finally {
    await targets.close();
  }
}

export const batch: Noun = {
  name: 'batch',
  verbs: [
    {
      name: 'list',
      summary: 'List the commands over several accounts that were interrupted',
      examples: [['msgctl batch list', 'what was done and what is left']],
      shown: { rows: 'batches', columns, table: tableColumns },
      run: async (session) => {
        const all = batchFiles(session.world).list();
        return wholeList(
          'batches',
          all.map(({ id }) => rowOf(session, id)),
        );
      },
    },
    {
      name: 'show',
      summary: 'Show the result for each account of a batch',
      examples: [['msgctl batch show b7', 'which accounts are done, unknown and left']],
      arguments: [idArgument],
      shown: { rows: 'accounts', columns: ['id', 'name', 'state'] },
      run: async (session, [id = '']) => wholeList('accounts', batchFiles(session.world).require(id).record.accounts),
    },
    {
      name: 'resume',
      summary: 'Run a command again on the remaining accounts',
      examples: [
        ['msgctl batch resume', 'the newest one'],
        ['msgctl batch resume b7', 'asks before it repeats what may be done, unless the service can tell'],
      ],
      arguments: [{ ...idArgument, summary: 'the id of a batch, such as b7; by default the newest', isOptional: true }],
      promptTarget: ({ session: { world }, values: [id = newestId(world)] }) => targetOf(id, world),
      run: async (session, [given]) => {
        const id = given ?? newestId(session.world);
        const file = batchFiles(session.world).claim(id);
        try {
          checkPlace(session, file.record);
          const unknown = file.open.filter(({ state }) => state === 'unknown').map((account) => account.name ?? account.id ?? 'own');
          if (unknown.length > 0 && !(await canRepeat(session, file)))
            await session.confirm(`The command may already be done on ${unknown.join(', ')}. Run it there again?`);
        } finally {
          file.release();
        }
        return { kind: 'nothing', exitCode: await session.resume(id, session.globals.output) };
      },
    },
    {
      name: 'delete',
      summary: 'Delete a batch, so that it cannot be resumed',
      examples: [['msgctl batch delete b7', 'changes that were made are kept']],
      arguments: [idArgument],
      promptTarget: ({ session: { world }, values: [id = ''] }) => targetOf(id, world),
      shown: { columns: [] },
      run: async (session, [id = '']) => {
        const file = batchFiles(session.world).claim(id);
        try {
          await session.confirm(`Delete the batch ${id}, with ${counted(file.open.length, 'account')} left?`);
          file.remove();
        } finally {
          file.release();
        }
        return { kind: 'record', answer: {}, record: {} };
      },
    },
  ],
};
