import { getMe } from '../../contract/areas/whoami/endpoints.ts';
import type { Noun } from '../verb/noun.ts';
import { sameTarget } from '../verb/same-target.ts';
import { exitCodes } from '../errors.ts';
import { splitList } from '../verb/values.ts';
import { clientColumns } from './status/client-columns.ts';
import { conditionNames, parseFailOn, statusConditions } from './status/conditions.ts';
import { screenOf } from '../output/screen.ts';

/** The columns of one account. */
const accountColumns = [
  'account.id',
  'account.name',
  'time',
  'credits.balance',
  'credits.used_this_month',
  'credits.low_credit_threshold',
  'credits.is_low',
  'receivers.total',
  'receivers.disabled',
  'receivers.failing',
  'receivers.retrying',
  'receivers.off',
  'receivers.ok',
  'receivers.idle',
  'deliveries.delivered',
  'deliveries.failed',
  'channels.total',
  'channels.disconnected',
  'broadcasts.sending',
  'tasks.overdue',
  'tasks.oldest_due_at',
  'keys.expiring',
  'notifications.unread',
  'errors.last_day',
  'not_allowed',
] as const;

export const status: Noun = {
  name: 'status',
  verbs: [
    {
      name: '',
      summary: 'Show what needs attention: credits, receivers, channels, broadcasts, tasks, keys, notifications, errors',
      examples: [
        ['msgctl status', 'everything on one screen; parts that the key may not read are marked'],
        ['msgctl status --sub-account all', 'the sub-accounts that need attention, the worst first'],
        ['msgctl status --sub-account all --fail-on low,disabled,disconnected', 'for monitors: exits 3 if one of them is so'],
        ['msgctl status --sub-account all --where disconnected -o csv', 'only those with a disconnected number'],
        ['msgctl status --watch', 'again every five seconds, until Ctrl-C'],
        ['msgctl status --query receivers.unhealthy[].name -o tsv', 'for scripts: the receivers that need attention'],
      ],
      endpoint: getMe,
      scope: 'all accounts',
      options: [
        {
          flags: '--fail-on <conditions>',
          summary: `exit 3 if one is met in an account: a list of ${conditionNames.join(', ')}, or any condition of --where`,
          isList: true,
          completes: conditionNames,
          parse: splitList,
        },
      ],
      text: async (rows, screen) => (await import('./status/clients-screen.ts')).clientsText(rows, screen),
      shown: {
        rows: 'accounts',
        hasOwnColumns: true,
        conditions: statusConditions,
        columns: [...new Set([...accountColumns, ...clientColumns])],
      },
      watches: true,
      run: async (session, _, options) => {
        const failsOn = parseFailOn((options.failOn as readonly string[] | undefined) ?? [], session);
        const { accounts } = session;
        if (accounts) return await (await import('./status/clients.ts')).showClients(session, accounts, failsOn);
        const [{ readStatus }, { statusText }] = await Promise.all([import('./status/read.ts'), import('./status/screen.ts')]);
        const document = await readStatus(session);
        const record = { ...document };
        const text = await statusText(document, sameTarget(session), screenOf(session.world.stdout, session.world));
        const { clientRow } = await import('./status/clients.ts');
        const hasMet = await failsOn(clientRow(document, { id: document.account.id, name: null }));
        return {
          kind: 'record',
          answer: record,
          record,
          columns: accountColumns,
          text,
          ...(hasMet && { exitCode: exitCodes.differences }),
        };
      },
    },
  ],
};
