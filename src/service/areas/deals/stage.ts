import { invalidField } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { oldestPipeline, stagesOf } from '../pipelines/records.ts';
import { pipelines, type Stage, stages } from '../pipelines/table.ts';

/** Where a request puts a deal. */
interface Place {
  readonly pipeline_id?: string | undefined;
  readonly stage_id?: string | undefined;
}

/**
 * The stage that a request names: the stage itself, or the first one of the pipeline (rule deals.2). Undefined if it names neither.
 * @throws ApiError 404 when the account has no such pipeline or stage, 400 when the stage is in another pipeline
 */
export async function findStage(
  db: Db,
  accountId: string,
  { pipeline_id: pipelineId, stage_id: stageId }: Place,
): Promise<Stage | undefined> {
  const pipeline = pipelineId === undefined ? undefined : await pipelines.require(db, accountId, pipelineId);
  if (stageId === undefined) return pipeline && (await stagesOf(db, pipeline.id))[0];
  const stage = await stages.require(db, accountId, stageId);
  if (pipeline && stage.pipeline_id !== pipeline.id) throw invalidField('stage_id', `is not a stage of the pipeline '${pipeline.name}'`);
  return stage;
}

/** The stage of a new deal: the first of the oldest pipeline, unless the request names another. @throws the errors of `findStage` */
export async function initialStage(db: Db, accountId: string, place: Place, now: number): Promise<Stage> {
  const named = await findStage(db, accountId, place);
  if (named) return named;
  const [first] = await stagesOf(db, (await oldestPipeline(db, accountId, now)).id);
  if (!first) throw new Error('A pipeline has a stage');
  return first;
}
