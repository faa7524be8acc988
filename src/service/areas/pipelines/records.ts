import { sql } from 'kysely';
import { fold } from '../../../contract/text/fold.ts';
import { nameTaken } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import { initialStages, planStages, type WantedStage } from './rules.ts';
import { type Pipeline, pipelines, type Stage, stages } from './table.ts';

const taken = (name: string) => nameTaken(`A pipeline named '${name}' already exists`);

const stagesByPipeline = prepared<{ ids: string }, StoredRow<typeof stages>>((db, $) =>
  db
    .selectFrom('pipeline_stages')
    .selectAll()
    .where(isAmong(db, 'pipeline_id', $.ids))
    .orderBy('position'),
);

/** The stages of a pipeline, in order. */
export async function stagesOf(db: Db, pipelineId: string): Promise<Stage[]> {
  return (await stagesByPipeline(db, { ids: JSON.stringify([pipelineId]) })).map((row) => stages.decode(row));
}

/** Pipelines as answers show them. */
export async function pipelineRecords(db: Db, rows: readonly Pipeline[]) {
  const all = (await stagesByPipeline(db, { ids: JSON.stringify(rows.map(({ id }) => id)) })).map((row) => stages.decode(row));
  const byPipeline = Map.groupBy(all, ({ pipeline_id: id }) => id);
  return rows.map((row) => {
    const { created_at, updated_at, ...fields } = pipelines.show(row);
    const own = (byPipeline.get(row.id) ?? []).map(({ id, name, kind, deal_count }) => ({ id, name, kind, deal_count }));
    return { ...fields, stages: own, created_at, updated_at };
  });
}

/** A pipeline as answers show it. */
export async function pipelineRecord(db: Db, row: Pipeline) {
  const [record] = await pipelineRecords(db, [row]);
  return record as NonNullable<typeof record>;
}

/** Creates a pipeline. @throws ApiError 409 when another one has the name */
export async function createPipeline(
  db: Db,
  accountId: string,
  { name, stages: wanted }: { readonly name: string; readonly stages: readonly WantedStage[] },
  now: number,
): Promise<Pipeline> {
  const row = { name, folded_name: fold(name) };
  const pipeline = await pipelines.createUnless('on conflict (account_id, folded_name) do nothing', db, accountId, row, now);
  if (!pipeline) throw taken(name);
  await replaceStages(db, pipeline, wanted, now);
  return pipeline;
}

/** The oldest pipeline of an account. One without any gets 'Sales' (rule deals.2). */
export async function oldestPipeline(db: Db, accountId: string, now: number): Promise<Pipeline> {
  const query = db.selectFrom('pipelines').selectAll().where('account_id', '=', accountId).orderBy('seq').limit(1);
  const row = await query.executeTakeFirst();
  return row ? pipelines.decode(row) : await createPipeline(db, accountId, { name: 'Sales', stages: initialStages }, now);
}

/**
 * Changes a pipeline.
 * @throws ApiError 404 when the account has no such pipeline or the pipeline no such stage, 409 when another pipeline has the name,
 * and the errors of `planStages`
 */
export async function updatePipeline(
  db: Db,
  accountId: string,
  id: string,
  { name, stages: wanted }: { readonly name?: string | undefined; readonly stages?: readonly WantedStage[] | undefined },
  now: number,
): Promise<Pipeline> {
  const pipeline = await pipelines.require(db, accountId, id);
  if (wanted) await replaceStages(db, pipeline, wanted, now);
  if (name !== undefined) await checkFree(db, accountId, id, name);
  return await pipelines.change(db, accountId, id, name === undefined ? {} : { name, folded_name: fold(name) }, now);
}

async function checkFree(db: Db, accountId: string, id: string, name: string): Promise<void> {
  const query = db.selectFrom('pipelines').select('id').where('account_id', '=', accountId).where('folded_name', '=', fold(name));
  const other = await query.executeTakeFirst();
  if (other && other.id !== id) throw taken(name);
}

async function replaceStages(db: Db, pipeline: Pipeline, wanted: readonly WantedStage[], now: number): Promise<void> {
  const before = await stagesOf(db, pipeline.id);
  const planned = planStages(before, wanted);
  const kept = new Set(planned.map((stage) => stage.before?.id));
  for (const { id, account_id: account } of before) if (!kept.has(id)) await stages.delete(db, account, id);
  for (const [position, { before: stage, name, kind }] of planned.entries())
    if (stage) await stages.change(db, stage.account_id, stage.id, { position, name, kind }, now);
    else await stages.create(db, pipeline.account_id, { pipeline_id: pipeline.id, position, name, kind }, now);
}

/** Counts a deal that comes to a stage or leaves it. */
export async function countDeal(db: Db, stageId: string, by: 1 | -1): Promise<void> {
  await sql`update pipeline_stages set deal_count = deal_count + ${by} where id = ${stageId}`.execute(db);
}
