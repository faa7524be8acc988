import { getMe } from '../../contract/areas/whoami/endpoints.ts';
import type { Noun } from '../verb/noun.ts';
import { sameTarget } from '../verb/same-target.ts';
import { screenOf } from '../output/screen.ts';

export const status: Noun = {
  name: 'status',
  verbs: [
    {
      name: '',
      summary: 'Show what needs attention: credits, receivers, broadcasts, tasks, keys, notifications, errors',
      examples: [
        ['msgctl status', 'everything on one screen; parts that the key may not read are marked'],
        ['msgctl status --sub-account all', 'one line for each sub-account'],
        ['msgctl status --watch', 'again every five seconds, until Ctrl-C'],
        ['msgctl status --query receivers.unhealthy[].name -o tsv', 'for scripts: the receivers that need attention'],
      ],
      endpoint: getMe,
      shown: {
        rows: 'accounts',
        columns: [
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
          'broadcasts.sending',
          'tasks.overdue',
          'tasks.oldest_due_at',
          'keys.expiring',
          'notifications.unread',
          'errors.last_day',
          'not_allowed',
        ],
        table: [
          'credits.balance',
          'credits.is_low',
          'receivers.disabled',
          'receivers.failing',
          'receivers.retrying',
          'tasks.overdue',
          'broadcasts.sending',
          'receivers.ok',
          'keys.expiring',
          'notifications.unread',
          'errors.last_day',
          'not_allowed',
        ],
      },
      watches: true,
      run: async (session) => {
        const [{ readStatus }, { statusText }] = await Promise.all([import('./status/read.ts'), import('./status/screen.ts')]);
        const document = await readStatus(session);
        const record = { ...document };
        const text = await statusText(
          document,
          `msgctl webhooks doctor${sameTarget(session)}`,
          screenOf(session.world.stdout, session.world),
        );
        return { kind: 'record', answer: record, record, text };
      },
    },
  ],
};
