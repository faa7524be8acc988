import { expect } from 'vitest';
import { accountFolder } from '../support/account-folder.ts';
import { it } from '../support/home-test.ts';

// Proves rule account-as-code.46.
it('pipelines keep the stages that have deals, by their names', async ({ home }) => {
  const { file, read, diff, apply, dir } = accountFolder(() => home);
  const stages = (...names: string[]) => file('pipelines.yaml', `pipelines: [{ name: Sales, stages: [${names.join(', ')}] }]\n`);
  stages('{ name: New }', '{ name: Talk }', '{ name: Won, kind: won }');
  expect((await apply()).code).toBe(0);
  expect((await diff()).code).toBe(0);
  await home.sandbox('deals', 'create', 'Kitchen', '--stage', 'Talk');
  const stageOf = async () => (await home.sandbox('deals', 'list', '-o', 'json')).json.deals[0].stage_id as string;
  const before = await stageOf();
  stages('{ name: talk }', '{ name: Lost, kind: lost }');
  expect((await apply()).code).toBe(0);
  expect(await stageOf()).toBe(before);
  await home.sandbox('dump', dir(), '--replace');
  expect(read('pipelines.yaml')).toBe('pipelines: [{ name: Sales, stages: [{ name: talk }, { name: Lost, kind: lost }] }]\n');
  stages('{ name: New, knd: won }');
  expect(await diff()).toMatchObject({ code: 2, stderr: expect.stringContaining("'knd'") as string });
  stages('{ name: Other }');
  const blocked = await diff();
  expect([blocked.code, blocked.stdout]).toEqual([
    6,
    expect.stringContaining("pipeline Sales: the stage 'talk' has 1 deal: move them first"),
  ]);
  file('account.yaml', 'prune: [pipelines]\n');
  file('pipelines.yaml', 'pipelines: []\n');
  expect((await diff('-o', 'json')).json.blocked).toMatchObject([{ kind: 'pipelines', key: 'Sales' }]);
  expect((await home.sandbox('undo', '--yes')).code).toBe(0);
  const { pipelines } = (await home.sandbox('pipelines', 'list', '-o', 'json')).json;
  expect(pipelines[0].stages).toMatchObject([{ name: 'New' }, { name: 'Talk', deal_count: 1 }, { name: 'Won', kind: 'won' }]);
});
