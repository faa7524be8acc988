import * as contract from '../../../contract/areas/sandbox/endpoints.ts';
import { withNewKey } from '../../command/key-file.ts';
import type { Options, Session, Verb } from '../../command/noun.ts';
import { exitCodes } from '../../errors.ts';
import type { Result } from '../../output/result.ts';
import { rememberKey } from '../../profiles/remember-key.ts';

const columns = ['account_id', 'api_key'];

async function reset(session: Session, _values: readonly string[], options: Options): Promise<Result> {
  const { targets, notes } = session;
  const client = await targets.sandboxClient();
  let isRemembered = true;
  const result = await withNewKey(session, options, columns, async () => {
    const answer = await client.call(contract.resetStore, {});
    targets.setFirstAccount(answer.account_id);
    isRemembered = await rememberKey(targets.rememberSandbox({ api_key: answer.api_key, sub_account_id: undefined }), 'sandbox', notes);
    return answer;
  });
  return isRemembered ? result : { ...result, exitCode: exitCodes.failed };
}

export const resetVerb: Verb = {
  name: 'reset',
  summary: contract.resetStore.summary,
  examples: [['msgctl sandbox reset --yes', 'delete everything in the store']],
  endpoint: contract.resetStore,
  makesKey: true,
  shown: { columns },
  confirm: () => 'Delete everything in the store?',
  isSandbox: true,
  run: reset,
};
