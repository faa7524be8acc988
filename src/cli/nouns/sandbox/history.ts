import { fillHistory } from '../../../contract/areas/sandbox/store.ts';
import { sandboxVerb } from '../../verb/call-verb.ts';
import type { Verb } from '../../verb/noun.ts';
import { CliError, exitCodes } from '../../errors.ts';

const filling = sandboxVerb({
  name: 'demo',
  endpoint: fillHistory,
  examples: [['msgctl sandbox demo --messages 100000 --days 180', 'a history to try analytics on']],
  fields: [{ field: 'messages', placeholder: 'count' }, { field: 'days', placeholder: 'count' }, 'seed'],
  shown: { columns: ['contacts', 'sessions', 'messages', 'ledger_records', 'ai_calls', 'appointments', 'deliveries'] },
});

/** The history is written in steps. If interrupted, completed steps are kept. */
export const demoVerb: Verb = {
  ...filling,
  run: async (session, values, options) => {
    const interrupted = session.world.interrupted.then(() => null);
    const result = await Promise.race([filling.run(session, values, options), interrupted]);
    if (result) return result;
    throw new CliError(exitCodes.interrupted, 'interrupted', 'Interrupted. The messages written so far are kept', {
      hint: 'A server continues with the rest. `msgctl sandbox reset` removes everything.',
    });
  },
};
